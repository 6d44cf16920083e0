"""A linear map whose matrix a task embedding modulates."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from skill_plugin.nn.conditional.condition import Condition
from skill_plugin.nn.conditional.modulation import Modulation
from skill_plugin.nn.linear import linear


class ConditionalLinear(nn.Module):
    """x R^(z) with R^(z) = R γ(z) + β(z) (equation 3.2).

    γ scales the columns of R. β, which has the size of an output too, is its shift: x R^(z) = (x R) γ(z) + β(z), the
    modulation of features that γ and β are said to be.

    Args:
        width: D of the task embeddings.
        inputs, outputs: R is inputs x outputs.
        std: standard deviation of the normal distribution, of mean 0, that a fresh R is drawn from.
    """

    def __init__(self, width: int, inputs: int, outputs: int, std: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        nn.init.normal_(self.weight, std=std)
        self.modulation = Modulation(width, outputs)

    def forward(self, x: Tensor, condition: Condition) -> Tensor:
        """[N, inputs] -> [N, outputs]"""
        y = linear(x, self.weight)
        scale, shift = (condition.of_tokens(values) for values in self.modulation(condition.z))
        return torch.addcmul(shift, y, scale).to(x.dtype)
