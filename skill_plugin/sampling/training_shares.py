"""How much of what was trained on came from each corpus, beside what the sampler planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CorpusShare:
    """How much was trained on one corpus.

    Attributes:
        planned_share: the sampler's probability, the mean over what was drawn; with uncertainty sampling of candidates.
        share: its share of the batches trained on; with uncertainty sampling of the examples chosen.
        batches: draws of the corpus that were trained on.
        examples: examples that were trained on, repeats counted.
        passes: examples over those that the corpus has.
    """

    planned_share: float
    share: float
    batches: int
    examples: int
    passes: float


class TrainingShares:
    """Counts what a run trains on, in its current epoch and since it began.

    Args:
        names: names of the run's K corpora.
        sizes: training examples of each [K]; 0 for one that is only evaluated.
        by_examples: shares are of examples, not of batches.

    Attributes:
        chosen: how many different examples were trained on, where a sampler chooses among them; None: all in turn.
        parts: corpora that are trained on a part of their rows alone, and which, as it was written.
    """

    chosen: int | None = None
    parts: Mapping[str, str] = MappingProxyType({})

    def __init__(self, names: Sequence[str], sizes: Sequence[int], by_examples: bool = False) -> None:
        self.names, self.sizes, self.by_examples = list(names), [int(size) for size in sizes], by_examples
        self._epoch = 0
        self._counts = np.zeros((2, 3, len(names)))  # epoch and run; planned, batches and examples

    def begin_epoch(self, epoch: int) -> None:
        """Counts anew for an epoch, unless it goes on after a stop."""
        if epoch != self._epoch:
            self._epoch, self._counts[0] = epoch, 0.0

    def add(self, probabilities: Floats, batches: Floats, examples: Floats) -> Floats:
        """Counts what an update trained on.

        Args:
            probabilities: the planned share of each corpus, all together 1 [K].
            batches, examples: how many of each corpus the update trained on [K].

        Returns:
            The planned number of batches, or of examples [K].
        """
        planned: Floats = probabilities * (examples if self.by_examples else batches).sum()
        self._counts += np.stack([planned, batches, examples])
        return planned

    def to_json(self) -> dict[str, dict[str, Any]]:
        """The shares since the run began, with the rows of each corpus, and as ``train_rows`` which part they are."""
        sizes = dict(zip(self.names, self.sizes, strict=True))
        return {
            name: {**asdict(share), "rows": sizes[name], "train_rows": self.parts.get(name)}
            for name, share in self.run().items()
        }

    @property
    def batches(self) -> int:
        """Draws that were trained on, since the run began."""
        return int(self._counts[1][1].sum())

    def epoch(self) -> dict[str, CorpusShare]:
        """The shares of the corpora that are trained on, in the current epoch."""
        return self._shares(self._counts[0])

    def run(self) -> dict[str, CorpusShare]:
        """The shares of the corpora that are trained on, since the run began."""
        return self._shares(self._counts[1])

    @property
    def data_used(self) -> float:
        """Share of all examples that were trained on at least once (CA-MTL, table 3.1), since the run began."""
        used = np.minimum(self._counts[1][2], self.sizes).sum() if self.chosen is None else self.chosen
        return float(used / max(sum(self.sizes), 1))

    def _shares(self, counts: Floats) -> dict[str, CorpusShare]:
        planned, batches, examples = counts
        drawn = examples if self.by_examples else batches
        total = max(drawn.sum(), 1)
        return {
            name: CorpusShare(
                planned_share=float(planned[i] / total),
                share=float(drawn[i] / total),
                batches=int(batches[i]),
                examples=int(examples[i]),
                passes=float(examples[i] / size),
            )
            for i, (name, size) in enumerate(zip(self.names, self.sizes, strict=True))
            if size
        }

    def to_state(self) -> dict[str, Any]:
        """What a checkpoint keeps: plain values."""
        return {
            "names": self.names,
            "sizes": self.sizes,
            "by_examples": self.by_examples,
            "epoch": self._epoch,
            "counts": self._counts.tolist(),
            "chosen": self.chosen,
            "parts": dict(self.parts),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TrainingShares:
        """What ``to_state`` gave.

        Raises:
            ValueError: counts of another number of corpora.
        """
        shares = cls(state["names"], state["sizes"], state["by_examples"])
        counts = np.array(state["counts"], np.float64)
        if counts.shape != shares._counts.shape or len(shares.sizes) != len(shares.names):
            raise ValueError("what was trained on is not told of each corpus")
        shares._epoch, shares._counts = state["epoch"], counts
        shares.chosen, shares.parts = state.get("chosen"), dict(state.get("parts", {}))  # earlier versions say neither
        return shares
