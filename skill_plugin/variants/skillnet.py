"""``skillnet``: SkillNet for one language (the slides' figure 2): a feed-forward network per task skill."""

from __future__ import annotations

from dataclasses import replace

from skill_plugin.nn.skills.feed_forward import SkillFeedForward
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory, Slots, dense_slots


def skillnet(shape: EncoderShape, inventory: Inventory) -> Slots:
    """Task skills in the feed-forward slot; attention is shared, and languages have no skill."""
    return replace(
        dense_slots(shape), feed_forward=lambda: SkillFeedForward(shape.width, shape.inner, inventory.skills)
    )
