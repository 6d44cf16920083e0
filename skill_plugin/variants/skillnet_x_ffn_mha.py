"""``skillnet_x_ffn_mha``: SkillNet-X, model II (section 3.3): task skills in feed-forward, languages in attention."""

from __future__ import annotations

from dataclasses import replace

from skill_plugin.nn.skills.attention import LanguageAttention
from skill_plugin.nn.skills.feed_forward import SkillFeedForward
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory, Slots, dense_slots


def skillnet_x_ffn_mha(shape: EncoderShape, inventory: Inventory) -> Slots:
    """Query, key and value projections per language; the output projection is shared."""
    return replace(
        dense_slots(shape),
        attention=lambda: LanguageAttention(shape.width, shape.heads, shape.attention_dropout, inventory.languages),
        feed_forward=lambda: SkillFeedForward(shape.width, shape.inner, inventory.skills),
    )
