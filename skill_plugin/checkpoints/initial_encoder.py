"""The encoder of what a model may start from, as it is."""

from __future__ import annotations

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.initial_weights import InitialWeights
from skill_plugin.nn.encoder import Encoder
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.mt5 import build_mt5
from skill_plugin.variants.slots import Inventory
from skill_plugin.variants.t5_shape import T5Shape


def build_initial_encoder(initial: InitialWeights) -> Encoder:
    """With its weights, float32; a dense one where the file holds a plain encoder."""
    if isinstance(initial.shape, T5Shape):
        encoder: Encoder = build_mt5(initial.shape).encoder
    elif initial.bundle is not None:
        encoder = build_model(initial.bundle).encoder
    else:
        encoder = build_encoder("dense", initial.shape, Inventory((), ()))
    encoder.load_state_dict(
        {
            name.removeprefix("encoder."): tensor.float()
            for name, tensor in initial.state.items()
            if name.startswith("encoder.")
        }
    )
    return encoder
