"""A linear map with a low-rank update beside it (LoRA: Hu et al. 2021, section 4.1; the thesis, section 2.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from skill_plugin.nn.dropout import current_copies, dropout
from skill_plugin.nn.linear import Linear


class LoraLinear(Linear):
    """h = W x + b + s B A dropout(x) (LoRA, equation 3), s = alpha / rank.

    It is the adapted map itself with two parameters more, so that ``weight`` and ``bias`` keep their names in the model
    and in checkpoints. B is 0 at the start, so that the map starts as it was; A is drawn as peft does, uniform in
    [-1 / √I, 1 / √I].

    A map that gives several things at once, as queries, keys and values, may be adapted in some of them: the outputs
    are cut into ``of`` equal parts, and each adapted part has an A and a B as if it were a map by itself.

    Axes: I inputs, O outputs, R rank, P adapted parts.

    Attributes:
        lora_a: [P R, I], one A below the other.
        lora_b: [P O / of, R], one B below the other.

    Args:
        base: the adapted map, whose parameters become this map's.
        rank: R.
        alpha: the update is multiplied by alpha / R.
        dropout: on the input of A, while training.
        parts: numbers of the adapted parts, from 0.
        of: into how many parts the outputs are cut.
    """

    def __init__(self, base: Linear, rank: int, alpha: float, dropout: float, parts: Sequence[int], of: int) -> None:
        inputs, outputs = base.in_features, base.out_features
        super().__init__(inputs, outputs, bias=base.bias is not None, device="meta")
        self.weight, self.bias = base.weight, base.bias
        self.scale, self.dropout = alpha / rank, dropout
        self.parts, self.of = tuple(parts), of
        self.lora_a = nn.Parameter(base.weight.new_empty(len(parts) * rank, inputs))
        self.lora_b = nn.Parameter(base.weight.new_zeros(len(parts) * outputs // of, rank))
        nn.init.uniform_(self.lora_a, -1 / math.sqrt(inputs), 1 / math.sqrt(inputs))

    def forward(self, x: Tensor) -> Tensor:
        """[n, I] -> [n, O]"""
        low = F.linear(self.dropped(x), self.lora_a)
        return super().forward(x) + F.linear(low * self.scale, self.up())

    def dropped(self, x: Tensor) -> Tensor:
        """What A is applied to; of the copies of a pack (R3F) each is dropped the same elements."""
        # whatever rows a map is given, those of the first copy come first: segments are in order, and so are the tokens
        # of an expert, which are the same of each copy
        return dropout(x, self.dropout, current_copies()) if self.training else x

    def up(self) -> Tensor:
        """B [O, P R] of all parts: what one part's A gives reaches that part's outputs alone."""
        if self.of == 1:
            return self.lora_b
        count, rank = len(self.parts), self.lora_b.shape[1]
        rows = self.out_features // self.of
        blocks = self.lora_b.new_zeros(self.of, rows, count, rank)
        for number, (part, own) in enumerate(zip(self.parts, self.lora_b.split(rows), strict=True)):
            blocks[part, :, number] = own  # one index tensor for all of them would wait for the device
        return blocks.view(self.out_features, count * rank)

    @torch.no_grad()
    def merged(self) -> Linear:
        """A plain map that gives the same, W + s B A added up in float64."""
        plain = Linear(self.in_features, self.out_features, bias=self.bias is not None, device="meta")
        update = self.scale * self.up().double() @ self.lora_a.double()
        plain.weight, plain.bias = nn.Parameter((self.weight.double() + update).to(self.weight.dtype)), self.bias
        return plain
