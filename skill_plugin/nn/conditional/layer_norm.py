"""Conditional layer normalisation."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from skill_plugin.nn.conditional.conditioned_batch import condition_of
from skill_plugin.nn.conditional.modulation import Modulation
from skill_plugin.nn.packed_batch import PackedBatch


class ConditionalLayerNorm(nn.LayerNorm):
    """h = (a - μ) / σ * (γ' γ(z) + β(z)) + β', with γ' and β' from the pretrained norm (section 3.3.1).

    Equation 3.3 as printed has β' in the scale and β(z) as the shift. It cannot be meant: with γ(z) = 1 and β(z) = 0 it
    would scale by γ' + β' and drop the shift, while the text starts the module from the pretrained norm. The published
    code has the form above.

    Args:
        width: D.
        eps: epsilon, as the pretrained encoder has it.
    """

    def __init__(self, width: int, eps: float) -> None:
        super().__init__(width, eps=eps)
        self.modulation = Modulation(width, width)

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:  # type: ignore[override]
        """[N, D] -> [N, D]"""
        condition = condition_of(batch)
        scale, shift = self.modulation(condition.z)
        scale = torch.addcmul(shift, scale, self.weight.float()).to(self.bias.dtype)
        if len(scale) == 1:
            return F.layer_norm(x, self.normalized_shape, scale[0], self.bias, self.eps)
        normalised = F.layer_norm(x, self.normalized_shape, eps=self.eps)
        return torch.addcmul(self.bias, normalised, condition.of_tokens(scale)).to(x.dtype)
