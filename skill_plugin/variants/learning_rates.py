"""Learning rates by depth: how many times the run's rate each parameter has."""

from __future__ import annotations

import re

from torch import nn

from skill_plugin.variants.parameter_names import head_of

_LAYER = re.compile(r"encoder\.layers\.(\d+)\.")


def rate_factor(name: str, layers: int, decay: float, head: float) -> float:
    """What the learning rate of a parameter of a ``MultitaskModel`` is multiplied by.

    The top layer has the run's rate, each layer below it ``decay`` times that of the one above, and the embeddings
    ``decay`` times that of the lowest (discriminative fine-tuning, Howard and Ruder, 2018, section 3.2, for which they
    found 1 / 2.6). What a layer was given beside its pretrained parameters counts as the layer's.

    Args:
        name: name of the parameter.
        layers: number of the encoder's layers.
        decay: from a layer to the one below it.
        head: of heads.
    """
    if head_of(name):
        return head
    if found := _LAYER.match(name):
        return decay ** (layers - 1 - int(found[1]))
    return decay**layers if name.startswith("encoder.embeddings.") else 1.0


def set_rate_factors(model: nn.Module, layers: int, decay: float, head: float) -> None:
    """Notes the factors at the parameters, where ``skill_adam`` finds them.

    Args:
        model: a ``MultitaskModel``.
        layers, decay, head: as for ``rate_factor``.
    """
    for name, parameter in model.named_parameters():
        if (factor := rate_factor(name, layers, decay, head)) != 1.0:
            # under the name of which fairseq keeps what it is when it makes float32 copies of parameters
            parameter.optim_overrides = {"lr_factor": factor}  # type: ignore[attr-defined]
