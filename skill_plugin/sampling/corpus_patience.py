"""``--corpus-patience``: corpora that have peaked are no longer trained on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class BestValidation:
    """The best validation of a corpus.

    Attributes:
        score: value of its metric.
        update: number of updates before it.
        since: validations after it, none of them better.
    """

    score: float
    update: int
    since: int = 0


class CorpusPatience:
    """Which corpora are frozen out of the plan, from which epoch on.

    As with fairseq's ``--patience``, better is strictly better. What is frozen out stays so; it is validated on.
    Validations are the same on all ranks, so that all decide alike.

    Args:
        patience: validations without a better score after which a corpus has peaked.
        trained: the corpora of the plan. Those that are never validated never peak.
        auxiliary: corpora among them that only accompany the others: the run does not go on for their sake.

    Attributes:
        frozen_out: the first epoch without it, for each corpus that has peaked.
    """

    def __init__(self, patience: int, trained: Sequence[str], auxiliary: Collection[str] = ()) -> None:
        self.patience, self.trained, self._auxiliary = patience, list(trained), frozenset(auxiliary)
        self.frozen_out: dict[str, int] = {}
        self._best: dict[str, BestValidation] = {}

    @property
    def finished(self) -> bool:
        """Whether nothing is left to train on, or nothing but auxiliary corpora."""
        return all(name in self.frozen_out or name in self._auxiliary for name in self.trained)

    def validated(
        self, epoch: int, update: int, scores: Mapping[str, float], higher: Mapping[str, bool]
    ) -> dict[str, BestValidation]:
        """Takes note of a validation.

        Args:
            epoch: during which, or at whose end.
            update: number of updates before it.
            scores: scores of the corpora that it scored.
            higher: whether a higher score is better.

        Returns:
            The corpora that have peaked with it, and are not part of later epochs.
        """
        peaked: dict[str, BestValidation] = {}
        for name in self.trained:
            if name not in scores or name in self.frozen_out:
                continue
            score, best = scores[name], self._best.get(name)
            if best is None or (score > best.score if higher[name] else score < best.score):
                self._best[name] = BestValidation(score, update)
                continue
            self._best[name] = best = BestValidation(best.score, best.update, best.since + 1)
            if best.since >= self.patience:
                self.frozen_out[name], peaked[name] = epoch + 1, best
        return peaked

    def to_state(self) -> dict[str, Any]:
        """What a checkpoint keeps: plain values."""
        best = {name: asdict(one) for name, one in self._best.items()}
        return {"frozen_out": dict(self.frozen_out), "best": best}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Goes on from ``to_state``."""
        self.frozen_out = dict(state["frozen_out"])
        self._best = {name: BestValidation(**best) for name, best in state["best"].items()}
