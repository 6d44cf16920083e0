"""``--freeze``: which pretrained parameters training leaves as they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skill_plugin.variants.parameter_names import group_of

if TYPE_CHECKING:
    from torch import nn

# what is frozen -> the share of the layers, from the bottom, that is frozen with the embeddings; CA-MTL's table 3.10
# compares 0 %, 25 % and 50 %. None: nothing at all.
FREEZES: dict[str, float | None] = {"none": None, "embeddings": 0.0, "bottom-quarter": 0.25, "bottom-half": 0.5}

_LAYER = re.compile(r"encoder\.layers\.(\d+)\.")


def frozen_layers(freeze: str, layers: int) -> int:
    """How many of the encoder's layers are frozen, from the bottom, rounded down."""
    return int((FREEZES[freeze] or 0.0) * layers)


def is_frozen(name: str, freeze: str, layers: int) -> bool:
    """Whether a parameter of a ``MultitaskModel`` is frozen.

    What a variant adds to the pretrained encoder (gates, conditional modules) and heads never are: they start from
    random numbers. Skills and experts of a frozen layer are, since they start as copies of the pretrained layer's.

    Args:
        name: of the parameter.
        freeze: one of ``FREEZES``.
        layers: of the encoder.
    """
    if FREEZES[freeze] is None or group_of(name) not in ("encoder", "skills", "experts"):
        return False
    if found := _LAYER.match(name):
        return int(found[1]) < frozen_layers(freeze, layers)
    return name.startswith("encoder.embeddings.")


def freeze_parameters(model: nn.Module, freeze: str, layers: int) -> None:
    """Takes the gradient from what is frozen, so that it neither moves nor belongs to the optimizer."""
    for name, parameter in model.named_parameters():
        if is_frozen(name, freeze, layers):
            parameter.requires_grad_(False)
