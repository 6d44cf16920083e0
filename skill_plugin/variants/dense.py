"""``dense``: one encoder shared by all corpora, as in MT-DNN: the joint dense baseline of all the papers."""

from __future__ import annotations

from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory, Slots, dense_slots


def dense(shape: EncoderShape, inventory: Inventory) -> Slots:
    """Every layer is the pretrained encoder's own."""
    return dense_slots(shape)
