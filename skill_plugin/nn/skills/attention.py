"""Attention whose query, key and value projections belong to a language skill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from torch import Tensor, nn

from skill_plugin.nn.bank import Bank
from skill_plugin.nn.compute_dtype import compute_dtype
from skill_plugin.nn.grouped import available
from skill_plugin.nn.grouped.linear_maps import grouped_projections
from skill_plugin.nn.linear import Linear
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.skills.mean_of_active import mean_of_active


class LanguageProjection(nn.Module):
    """One language's W^Q, W^K and W^V side by side (SkillNet-X, equation 6): [n, D] -> [n, 3 D]."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.qkv = Linear(width, 3 * width)

    def forward(self, x: Tensor) -> Tensor:
        return self.qkv(x)


class LanguageAttention(nn.Module):
    """The skill attention layer (SkillNet-X, section 3.3): projections per language, the output projection shared.

    Args:
        width: D.
        heads: H.
        dropout: on the attention weights, while training.
        languages: names of the language skills.
    """

    def __init__(self, width: int, heads: int, dropout: float, languages: Sequence[str]) -> None:
        super().__init__()
        self.languages = Bank("language", ((name, LanguageProjection(width)) for name in languages))
        self.output = Linear(width, width)
        self.heads, self.dropout = heads, dropout

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """[N, D] -> [N, D]"""
        attended = batch.layout.attend(self._project(x, batch), self.heads, self.dropout if self.training else 0.0)
        return self.output(attended)

    def _project(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """Queries, keys and values side by side [N, 3 D]."""
        x = x.to(compute_dtype(x))
        if not available.has_grouped_product(self.languages.first, x):
            active = [[segment.active.language] for segment in batch.segments]
            return mean_of_active(x, batch.spans, active, dict(self.languages.items()))
        modules = self.languages.named(batch.active.language.names)
        if len(modules) == 1:
            return modules[0](x)
        return grouped_projections(
            [cast(LanguageProjection, one).qkv for one in modules], x, batch.active.language.dispatch
        )
