"""``skillnet_x_ffn``: SkillNet-X, model I (section 3.2): a feed-forward network per task skill and language skill."""

from __future__ import annotations

from dataclasses import replace

from skill_plugin.nn.skills.feed_forward import SkillFeedForward
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory, Slots, dense_slots


def skillnet_x_ffn(shape: EncoderShape, inventory: Inventory) -> Slots:
    """Task and language skills side by side in the feed-forward slot; the mean runs over the language's too."""
    return replace(
        dense_slots(shape),
        feed_forward=lambda: SkillFeedForward(shape.width, shape.inner, inventory.skills, inventory.languages),
    )
