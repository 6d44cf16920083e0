"""``--keep-best-per-corpus``: which corpora are better than they have been in any checkpoint so far."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


class BestOfCorpora:
    """What ``compat.kept_checkpoints`` asks at every save.

    As fairseq's own best checkpoint, a corpus's is the best of those that were validated and saved, and of equal ones
    the last.

    Attributes:
        best: the score of each corpus in its ``checkpoint_best_<corpus>.pt``.
    """

    def __init__(self) -> None:
        self.best: dict[str, float] = {}
        self._update = -1
        self._scores: dict[str, float] = {}
        self._higher: dict[str, bool] = {}

    def validated(self, update: int, scores: Mapping[str, float], higher: Mapping[str, bool]) -> None:
        """Takes note of a validation.

        Args:
            update: number of updates before it.
            scores: scores of the corpora that it scored.
            higher: whether a higher score is better.
        """
        self._update, self._scores, self._higher = update, dict(scores), dict(higher)

    def peaks(self, update: int) -> dict[str, float]:
        """The scores of the corpora that have not been better; none if there was no validation at this update."""
        if update != self._update:
            return {}
        return {corpus: score for corpus, score in self._scores.items() if not self._was_better(corpus, score)}

    def _was_better(self, corpus: str, score: float) -> bool:
        if corpus not in self.best:
            return False
        return self.best[corpus] > score if self._higher[corpus] else self.best[corpus] < score

    def restore(self, best: Mapping[str, float], folder: Path, suffix: str) -> None:
        """Goes on from the scores of a checkpoint, as far as the files that have them are in the folder."""
        self.best = {corpus: score for corpus, score in best.items() if (folder / self.file(corpus, suffix)).is_file()}

    @staticmethod
    def file(corpus: str, suffix: str = "") -> str:
        """The name of a corpus's best checkpoint, with fairseq's suffix of checkpoints."""
        return f"checkpoint_best_{corpus}{suffix}.pt"
