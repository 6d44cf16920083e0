"""``--lora-rank``: low-rank adapters beside an encoder that stays as it is (LoRA; the MTL thesis, section 3.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from skill_plugin.errors import InputError, nearest
from skill_plugin.nn.adapters.adapt import Target, adapt
from skill_plugin.nn.multitask_model import MultitaskModel

#: what may be adapted -> the map's own name, which of its parts, and of how many
_MAPS = {
    "query": ("qkv", 0, 3),
    "key": ("qkv", 1, 3),
    "value": ("qkv", 2, 3),
    "output": ("output", 0, 1),
    "fc1": ("fc1", 0, 1),
    "fc2": ("fc2", 0, 1),
}
TARGETS = tuple(_MAPS)
_SEVERAL = {"qkv": ("query", "key", "value"), "all": TARGETS}

# The thesis (section 4.4) has rank and alpha 32 and dropout 0.1, and names no matrices: those are then peft's for its
# models, query and value, as in the paper on LoRA (section 4.2).
_DROPOUT = 0.1
_TARGETS = ("query", "value")


@dataclass(frozen=True)
class LoraOptions:
    """The adapters of a model.

    Attributes:
        rank: R; 0 = there are none.
        alpha: what B A gives is multiplied by alpha / R.
        dropout: on what is adapted, while training.
        targets: which maps are, some of ``TARGETS``.
    """

    rank: int = 0
    alpha: float = 0.0
    dropout: float = 0.0
    targets: tuple[str, ...] = ()


def lora_options(rank: int, alpha: float | None, dropout: float | None, targets: str) -> LoraOptions:
    """What ``--lora-rank``, ``--lora-alpha``, ``--lora-dropout`` and ``--lora-targets`` say.

    Args:
        rank: 0 = no adapters.
        alpha: None = the rank, which makes the factor 1.
        dropout: None = 0.1.
        targets: names separated by commas; nothing = query and value.

    Raises:
        InputError: an unknown name, or options of adapters that there are not.
    """
    if rank == 0:
        for option, given in (("alpha", alpha), ("dropout", dropout), ("targets", targets or None)):
            if given is not None:
                raise InputError(f"--lora-{option} {given}: goes with --lora-rank, which is 0")
        return LoraOptions()
    names: set[str] = set()
    for name in (part.strip() for part in targets.split(",") if part.strip()):
        if name not in (*TARGETS, *_SEVERAL):
            known = (*TARGETS, *_SEVERAL)
            raise InputError(f"--lora-targets: nothing is called {name!r}{nearest(name, known)}")
        names.update(_SEVERAL.get(name, (name,)))
    return LoraOptions(
        rank=rank,
        alpha=float(rank if alpha is None else alpha),
        dropout=_DROPOUT if dropout is None else dropout,
        targets=tuple(name for name in TARGETS if name in (names or _TARGETS)),
    )


def add_lora(model: MultitaskModel, options: LoraOptions) -> None:
    """Adapts the encoder, in every slot; ``freeze_parameters`` keeps the base as it is.

    Raises:
        InputError: a rank above the encoder's width.
    """
    width = model.encoder.get_parameter("embeddings.tokens.weight").shape[1]
    if options.rank > width:
        raise InputError(f"--lora-rank {options.rank}: expected at most {width}, the encoder's width")
    targets: dict[str, Target] = {}
    for name in options.targets:
        own, part, of = _MAPS[name]
        targets[own] = Target((*(targets[own].parts if own in targets else ()), part), of)
    adapt(model.encoder, targets, options.rank, options.alpha, options.dropout)


def adapters_in(weights: Mapping[str, Tensor]) -> str:
    """How many adapters some weights have, and of which rank, for a person."""
    ranks = [tensor.shape[1] for name, tensor in weights.items() if name.endswith(".lora_b")]
    rows = sum(tensor.shape[0] for name, tensor in weights.items() if name.endswith(".lora_a"))
    return f"{rows // ranks[0]} adapters of rank {ranks[0]}" if ranks else "no adapters"
