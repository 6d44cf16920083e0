"""``mt_switch``: MT-Switch of MT-TaG (section 4.2): one gate for all corpora, one expert a token."""

from __future__ import annotations

from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.experts import Experts, expert_slots
from skill_plugin.variants.slots import Inventory, Slots

PUBLISHED = Experts(number=4, per_token=1, scale="probability")  # section 4.4; N = 4 is the best of table 8


def mt_switch(shape: EncoderShape, inventory: Inventory) -> Slots:
    """Differs from ``mt_tag`` in the gate only."""
    return expert_slots(shape, PUBLISHED.with_options(inventory.experts))
