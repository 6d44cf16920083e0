"""How many parameters a model will have, before there is one."""

from __future__ import annotations

import torch
from torch import nn

from skill_plugin.nn.initialise import NoFreshWeights
from skill_plugin.spec.corpora_file import CorporaFile
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.model_shape import ModelShape
from skill_plugin.variants.mt5 import build_mt5
from skill_plugin.variants.slots import Inventory
from skill_plugin.variants.t5_shape import T5Shape


def count_parameters(variant: str, shape: ModelShape, spec: CorporaFile) -> int:
    """Those of the published model, whatever options say of it, without heads.

    Args:
        variant: its name.
        shape: its sizes.
        spec: the corpora, with what they activate.
    """
    with torch.device("meta"), NoFreshWeights():  # only sizes are read
        if isinstance(shape, T5Shape):
            return _size(build_mt5(shape))
        names = tuple(spec.corpora)
        inventory = Inventory(tuple(spec.skills), tuple(spec.languages), gates=names, embeddings=names)
        return _size(build_encoder(variant, shape, inventory))


def _size(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())
