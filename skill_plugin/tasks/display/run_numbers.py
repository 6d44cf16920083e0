"""What is known of a run at a moment: its progress, and the last numbers of each corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass
class CorpusNumbers:
    """One corpus.

    Attributes:
        metric: the name of its score; none for a corpus that is not validated.
        share: of what the run has trained on, as last told; None for a corpus that is only validated.
        loss: the mean of the last interval in which it was drawn.
        score, best: of the last validation, and the best of this process's.
    """

    metric: str = ""
    share: float | None = None
    loss: float | None = None
    score: float | None = None
    best: float | None = None


@dataclass
class RunNumbers:
    """One run.

    Attributes:
        corpora: by name, in the order of the corpora file.
        lower: corpora whose score is better when lower.
        chosen: the number by which the best checkpoint is chosen.
        update, last: updates made, and when the run ends at the latest; None where only its scores decide.
        epoch: counted from 1.
        seconds_left: about; None where that is not known yet.
        numbers: the last interval's loss, learning rate, speed.
        validation: averages of the last validation, and after which update it was; the best of ``chosen`` so far.
        at_work: what is validated, batches done, and all of them; None while the run trains.
    """

    corpora: dict[str, CorpusNumbers]
    lower: frozenset[str] = frozenset()
    chosen: str = "avg"
    update: int = 0
    last: int | None = None
    epoch: int = 1
    seconds_left: float | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    validation: Mapping[str, float] = field(default_factory=dict)
    validated_after: int | None = None
    best: float | None = None
    at_work: tuple[str, int, int] | None = None

    def trained(self, numbers: Mapping[str, float]) -> None:
        """Takes an interval's numbers, by the names of ``log.jsonl``."""
        self.numbers = {name: value for name, value in numbers.items() if "/" not in name}
        for name, corpus in self.corpora.items():
            corpus.loss = numbers.get(f"{name}/loss", corpus.loss)

    def shared(self, shares: Mapping[str, float]) -> None:
        """Takes the share of each corpus that is trained on."""
        for name, share in shares.items():
            self.corpora[name].share = share

    def validated(self, update: int, numbers: Mapping[str, float]) -> None:
        """Takes a validation's numbers, by the names of ``log.jsonl``."""
        self.validated_after = update
        self.validation = {name: value for name, value in numbers.items() if "/" not in name}
        self.best = numbers.get(f"best_{self.chosen}", numbers.get(self.chosen, self.best))
        for name, corpus in self.corpora.items():
            score = numbers.get(f"{name}/{corpus.metric}")
            if score is not None:
                better = min if name in self.lower else max
                corpus.best = score if corpus.best is None else better(score, corpus.best)
                corpus.score = score

    def most_relevant(self, number: int) -> Sequence[str]:
        """So many corpora: all in their order, or those that have lost most since their best, then the lowest."""
        if len(self.corpora) <= number:
            return list(self.corpora)
        return sorted(self.corpora, key=self._standing)[:number]

    def _standing(self, name: str) -> tuple[bool, float, float]:
        corpus = self.corpora[name]
        if corpus.score is None or corpus.best is None:
            return True, -(corpus.loss or 0.0), 0.0
        return False, -abs(corpus.best - corpus.score), corpus.score
