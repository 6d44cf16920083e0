"""An encoder with a head for every corpus (corpora that name the same head share it)."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.packed_batch import PackedBatch


class MultitaskModel(nn.Module):
    """One forward pass answers all segments of a pack.

    Args:
        encoder: hidden states of a pack.
        heads: by name; each maps (hidden [N, D], units [U] or [U, 3]) to its outputs, ``MaskedLmHead`` with the
            encoder's embedding table as a third argument.
    """

    def __init__(self, encoder: Encoder, heads: Mapping[str, nn.Module]) -> None:
        super().__init__()
        self.encoder = encoder
        self.heads = nn.ModuleDict(heads)

    def forward(self, batch: PackedBatch) -> list[Tensor]:
        """For each segment its head's outputs, e.g. logits [U, C]."""
        hidden = self.encoder(batch)
        return [
            self._answer(self.heads[segment.head], hidden, units)
            for segment, units in zip(batch.segments, batch.units, strict=True)
        ]

    def _answer(self, head: nn.Module, hidden: Tensor, units: Tensor) -> Tensor:
        if isinstance(head, MaskedLmHead):
            return head(hidden, units, self.encoder.get_parameter("embeddings.tokens.weight"))  # type: ignore[no-any-return]
        return head(hidden, units)  # type: ignore[no-any-return]
