"""``mt_tag``: MT-TaG (section 3.1): a gate per corpus, experts shared by all, one expert a token."""

from __future__ import annotations

from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.experts import Experts, expert_slots
from skill_plugin.variants.slots import Inventory, Slots

PUBLISHED = Experts(
    number=4, per_token=1, scale="probability", shared_gate=False
)  # section 4.4, equations 4 to 6; table 8


def mt_tag(shape: EncoderShape, inventory: Inventory) -> Slots:
    """The expert's output is multiplied by its probability under the corpus's own gate."""
    return expert_slots(shape, PUBLISHED.with_options(inventory.experts), inventory.gates)
