"""The fingerprint by which an adapter knows the weights that it was trained beside."""

from __future__ import annotations

import hashlib

from torch import nn

from skill_plugin.variants.parameter_names import is_base


def base_fingerprint(model: nn.Module) -> str:
    """sha256 of what adapters leave as it is in a ``MultitaskModel``: names, sizes and values, as float32."""
    digest = hashlib.sha256()
    for name, parameter in sorted(model.named_parameters()):
        if is_base(name):
            digest.update(f"{name}:{tuple(parameter.shape)}:".encode())
            digest.update(parameter.detach().cpu().float().contiguous().numpy().data)
    return digest.hexdigest()
