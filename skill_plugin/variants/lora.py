"""``--lora-rank``: low-rank adapters beside an encoder that stays as it is (LoRA; the MTL thesis, section 3.5)."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from skill_plugin.nn.adapters.adapt import AdaptedParts, adapt
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.variants.lora_options import LoraOptions

#: which of ``TARGETS`` -> the map's own name, which of its parts, and of how many
_MAPS = {
    "query": ("qkv", 0, 3),
    "key": ("qkv", 1, 3),
    "value": ("qkv", 2, 3),
    "output": ("output", 0, 1),
    "fc1": ("fc1", 0, 1),
    "fc2": ("fc2", 0, 1),
}


def add_lora(model: MultitaskModel, options: LoraOptions) -> None:
    """Adapts the encoder, in every slot; ``freeze_parameters`` keeps the base as it is."""
    targets: dict[str, AdaptedParts] = {}
    for name in options.targets:
        own, part, of = _MAPS[name]
        targets[own] = AdaptedParts((*(targets[own].parts if own in targets else ()), part), of)
    adapt(model.encoder, targets, options.rank, options.alpha, options.dropout)


def count_adapters(weights: Mapping[str, Tensor]) -> str:
    """How many adapters some weights have, and of which rank, for a person."""
    ranks = [tensor.shape[1] for name, tensor in weights.items() if name.endswith(".lora_b")]
    rows = sum(tensor.shape[0] for name, tensor in weights.items() if name.endswith(".lora_a"))
    return f"{rows // ranks[0]} adapters of rank {ranks[0]}" if ranks else "no adapters"
