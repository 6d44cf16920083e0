"""Which pretrained parameters training leaves as they are: those that ``--freeze`` names, or all beside adapters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from skill_plugin.errors import InputError
from skill_plugin.options.option import PAPER
from skill_plugin.variants.parameter_names import group_of, is_base

if TYPE_CHECKING:
    from torch import nn

# what is frozen -> the share of the layers, from the bottom, that is frozen with the embeddings; CA-MTL's table 3.10
# compares 0 %, 25 % and 50 %. None: nothing at all.
FREEZES: dict[str, float | None] = {"none": None, "embeddings": 0.0, "bottom-quarter": 0.25, "bottom-half": 0.5}

# all that the file of --init-from has but heads: new skills, languages, gates and heads are what trains
OLD = "old"

_LAYER = re.compile(r"encoder\.layers\.(\d+)\.")


def choose_freeze(option: str, published: str, adapted: bool) -> str:
    """One of ``FREEZES`` or ``OLD``; with adapters none, since they keep everything as it is.

    Args:
        option: one of ``FREEZES``, ``OLD``, or ``paper``.
        published: what the variant freezes.
        adapted: whether there are adapters.

    Raises:
        InputError: a part is to be frozen, although adapters freeze the whole encoder.
    """
    if adapted and option not in (PAPER, "none"):
        raise InputError(f"--freeze {option}: --lora-rank freezes the whole pretrained encoder")
    return "none" if adapted else published if option == PAPER else option


def frozen_layers(freeze: str, layers: int) -> int:
    """How many of the encoder's layers are frozen, from the bottom, rounded down."""
    return int((FREEZES[freeze] or 0.0) * layers)


def find_new(names: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """What of a model ``--freeze old`` trains beside the heads.

    Args:
        names: names of the model's parameters.
        known: names of what the file of ``--init-from`` has. In a plain encoder's all skills and experts are new.
    """
    return tuple(name for name in names if group_of(name) not in ("encoder", "decoder", "heads") and name not in known)


def is_frozen(name: str, freeze: str, layers: int, new: Collection[str] = ()) -> bool:
    """Whether a parameter of a ``MultitaskModel`` is frozen.

    Heads never are. What is added to the pretrained encoder (gates, conditional modules, adapters) is frozen with
    ``OLD`` only, since it starts from random numbers otherwise. Skills and experts of a frozen layer are, since they
    start as copies of the pretrained layer's.

    Args:
        name: name of the parameter.
        freeze: one of ``FREEZES``, or ``OLD``.
        layers: number of the encoder's layers.
        new: what trains beside heads with ``OLD``, as ``find_new`` gave it.
    """
    if freeze == OLD:
        return group_of(name) != "heads" and name not in new
    if FREEZES[freeze] is None or not is_base(name):
        return False
    if found := _LAYER.match(name):
        return int(found[1]) < frozen_layers(freeze, layers)
    return name.startswith("encoder.embeddings.")


def freeze_parameters(
    model: nn.Module, freeze: str, layers: int, adapted: bool = False, new: Collection[str] = ()
) -> None:
    """Takes the gradient from what is frozen, so that it neither moves nor belongs to the optimizer.

    Args:
        model: a ``MultitaskModel``.
        freeze, layers, new: as for ``is_frozen``.
        adapted: whether adapters train in place of all that is pretrained.
    """
    new = frozenset(new)
    for name, parameter in model.named_parameters():
        if (adapted and is_base(name)) or is_frozen(name, freeze, layers, new):
            parameter.requires_grad_(False)
