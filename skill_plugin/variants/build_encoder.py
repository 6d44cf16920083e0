"""From names and sizes to an encoder."""

from __future__ import annotations

from skill_plugin.nn.embeddings import Embeddings
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.encoder_layer import EncoderLayer
from skill_plugin.nn.initialise import initialise
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory, dense_slots


def build_encoder(variant: str, shape: EncoderShape, inventory: Inventory, skill_layers: int | None = None) -> Encoder:
    """An encoder with fresh weights.

    Args:
        variant: a name of ``VARIANTS``.
        shape: its sizes.
        inventory: what it has for corpora to activate.
        skill_layers: how many layers, from the top, carry what the variant changes (the slides' table 7); default all,
            for ``ca_mtl`` the upper half. Where the inventory names the layers of experts, it is those.
    """
    published = VARIANTS[variant]
    skilled, plain = published.slots(shape, inventory), dense_slots(shape)
    first = shape.layers - (published.skilled(shape.layers) if skill_layers is None else skill_layers)
    changed = range(first, shape.layers) if inventory.experts.layers is None else inventory.experts.layers
    layers = []
    for index in range(shape.layers):
        slots = skilled if index in changed else plain
        layers.append(EncoderLayer(slots.attention(), slots.feed_forward(), slots.norm(), slots.norm(), shape.dropout))
    embeddings = Embeddings(
        shape.vocabulary, shape.positions, shape.token_types, shape.width, shape.layer_norm_eps, shape.dropout
    )
    encoder = published.encoder(shape, inventory, embeddings, layers)
    initialise(encoder)
    return encoder
