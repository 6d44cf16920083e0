"""Which task embedding serves a new corpus best before any training (CA-MTL, section 3.7.4, table 3.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class EmbeddingChoice:
    """A choice of what the new embedding starts from, and its score.

    Attributes:
        title: what a person is shown.
        embedding_from: what the corpora file would say: names of corpora, ``random`` or ``xavier``.
        value: the value of the metric.
    """

    title: str
    embedding_from: tuple[str, ...] | str
    value: float


@dataclass(frozen=True)
class EmbeddingTransfer:
    """Zero-shot scores of one new corpus.

    Attributes:
        corpus: the new one.
        head: the corpus of the checkpoint whose head answers for it.
        split, metric: what was scored.
        n: items that were scored.
        ranking: all choices, the best first.
    """

    corpus: str
    head: str
    split: str
    metric: str
    n: int
    ranking: Sequence[EmbeddingChoice]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "corpus": self.corpus,
            "head": self.head,
            "split": self.split,
            "metric": self.metric,
            "n": self.n,
            "ranking": [
                {
                    "title": start.title,
                    "embedding_from": (
                        start.embedding_from if isinstance(start.embedding_from, str) else list(start.embedding_from)
                    ),
                    "value": start.value,
                }
                for start in self.ranking
            ],
        }
