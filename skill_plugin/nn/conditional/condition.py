"""The task embeddings of a pack, and which of them each token and each sequence has."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from skill_plugin.nn.packed_batch import PackedBatch


@dataclass(frozen=True)
class Condition:
    """What the conditional modules of one forward pass are given beside x.

    Attributes:
        z: the K different task embeddings of the pack [K, D].
        tokens: which of them each token has [N], int64; None where K = 1.
        sequences: which of them each sequence has [S], int64; None where K = 1.
    """

    z: Tensor
    tokens: Tensor | None = None
    sequences: Tensor | None = None

    def of_tokens(self, values: Tensor) -> Tensor:
        """A row for each task embedding [K, F] -> a row for each token [N, F], or the one row of all of them [1, F]."""
        return values if self.tokens is None else values.index_select(0, self.tokens)


def condition_tokens(z: Tensor, batch: PackedBatch) -> Condition:
    """Gives each token and sequence its task embedding.

    Args:
        z: the task embeddings of the pack, in the order of ``batch.active.embedding`` [K, D].
        batch: the pack.
    """
    if len(z) == 1:
        return Condition(z)
    of_tokens = batch.active.embedding.columns.squeeze(1)
    return Condition(z, of_tokens, of_tokens.index_select(0, batch.layout.first_tokens))
