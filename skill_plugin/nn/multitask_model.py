"""An encoder with a head for every corpus (corpora that name the same head share it)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from skill_plugin.nn.dropout import in_copies
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.nn.packed_batch import PackedBatch


class MultitaskModel(nn.Module):
    """One forward pass answers all segments of a pack.

    Args:
        encoder: hidden states of a pack.
        heads: by name; each maps (hidden [N, D], units [U] or [U, 3], copies of them that are dropped alike) to its
            outputs, ``MaskedLmHead``, which drops nothing, with the encoder's embedding table as the third argument.
    """

    def __init__(self, encoder: Encoder, heads: Mapping[str, nn.Module]) -> None:
        super().__init__()
        self.encoder = encoder
        self.heads = nn.ModuleDict(heads)

    def forward(self, batch: PackedBatch) -> list[Tensor | TokenScores]:
        """For each segment its head's outputs, e.g. logits [U, C]; ``TokenScores`` where masked pieces are given."""
        with in_copies(batch.dropped_alike):
            hidden = self.encoder(batch)
        segments = len(batch.segments) // batch.copies
        classes = batch.classes or [None] * segments
        answers = [
            self._answer(self.heads[segment.head], hidden, batch, batch.units[number::segments], classes[number])
            for number, segment in enumerate(batch.segments[:segments])
        ]
        return [answer[copy] for copy in range(batch.copies) for answer in answers]

    def _answer(
        self, head: nn.Module, hidden: Tensor, batch: PackedBatch, units: Sequence[Tensor], classes: Tensor | None
    ) -> Sequence[Tensor | TokenScores]:
        """Outputs of a segment and of its copies, whose units [U] are given each."""
        copies = batch.copies
        flat = torch.cat(list(units)) if copies > 1 else units[0]
        if isinstance(head, MaskedLmHead):
            out = head(hidden, flat, self.encoder.get_parameter("embeddings.tokens.weight"), classes)
        else:
            out = head(hidden, flat, batch.dropped_alike)
        return out.unflatten(0, (copies, len(units[0]))) if copies > 1 else [out]
