"""``--lora-rank``: low-rank adapters beside an encoder that stays as it is (LoRA; the thesis, section 3.5)."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from skill_plugin.errors import counted
from skill_plugin.nn.adapters.adapt import AdaptedParts, adapt
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel
from skill_plugin.variants.lora_options import LoraOptions

_Maps = dict[str, dict[str, tuple[tuple[int, ...], int]]]

#: which of ``TARGETS`` -> own names of the maps that hold it, which of their parts it is, and of how many
_MAPS: _Maps = {
    "query": {"qkv": ((0,), 3), "query": ((0,), 1)},
    "key": {"qkv": ((1,), 3), "key_value": ((0,), 2)},
    "value": {"qkv": ((2,), 3), "key_value": ((1,), 2)},
    "output": {"output": ((0,), 1)},
    "fc1": {"fc1": ((0,), 1)},
    "fc2": {"fc2": ((0,), 1)},
}
_GATED: _Maps = {"fc1": {"fc1": ((0, 1), 2)}}  # the first map of a gated feed-forward network is two


def add_lora(model: MultitaskModel, options: LoraOptions) -> None:
    """Adapts the layers of the encoder, in every slot, and of the decoder, its attention to the source too.

    ``freeze_parameters`` keeps the base as it is.
    """
    maps = {**_MAPS, **(_GATED if isinstance(model, TextToTextModel) else {})}
    targets: dict[str, AdaptedParts] = {}
    for name in options.targets:
        for own, (parts, of) in maps[name].items():
            targets[own] = AdaptedParts((*(targets[own].parts if own in targets else ()), *parts), of)
    adapt(model.encoder, targets, options.rank, options.alpha, options.dropout)
    if isinstance(model, TextToTextModel):
        adapt(model.decoder.layers, targets, options.rank, options.alpha, options.dropout)


def count_adapters(weights: Mapping[str, Tensor]) -> str:
    """How many adapters some weights have, and of which rank, for a person."""
    ranks = [tensor.shape[1] for name, tensor in weights.items() if name.endswith(".lora_b")]
    rows = sum(tensor.shape[0] for name, tensor in weights.items() if name.endswith(".lora_a"))
    return f"{counted(rows // ranks[0], 'adapter')} of rank {ranks[0]}" if ranks else "no adapters"
