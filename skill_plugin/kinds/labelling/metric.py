"""Metrics of one tag a word: entity F1 and the share of right tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_plugin.errors import nearest
from skill_plugin.kinds.labelling import LabellingKind
from skill_plugin.kinds.labelling.entities import EntityWords, find_entities
from skill_plugin.metrics.metric import Confusion, Metric, MetricState, f1, ratio
from skill_plugin.spec.tag_schemes import SCHEMES, is_inside_only, split_tag

OTHER_BOUNDS, MISSED, NOTHING = "other bounds", "missed", "(no entity)"  # in a confusion of entities


class Labelling(Metric[Sequence[str], Sequence[str]]):
    """Answers and references are the tags of a sentence's words, equally many.

    The state is, for each type of entity and for the types that no tag of the corpus has, entities right, predicted and
    gold; then words right, words and sentences: [3 * (T + 1) + 3].

    Args:
        name: f1 (of entities, micro: as seqeval's strict mode has it) or accuracy (of tags).
        tags: of the corpus.
        scheme: one of ``SCHEMES``; raw for tags that are no entities (parts of speech).
        lenient: entities may begin without B-, see ``find_entities``; they do where no tag of the corpus is a B-.

    Raises:
        ValueError: an unknown metric or scheme, f1 of raw tags, or a tag that the scheme does not have.
    """

    names = LabellingKind.metrics

    def __init__(self, name: str, tags: Sequence[str], scheme: str = "bio", lenient: bool = False) -> None:
        super().__init__(name)
        if scheme not in SCHEMES:
            raise ValueError(f"unknown scheme {scheme!r}{nearest(scheme, SCHEMES)}")
        if scheme == "raw" and name == "f1":
            raise ValueError("raw tags are no entities, so that they have no f1; accuracy is their metric")
        self.scheme, self.lenient = scheme, lenient or is_inside_only(tags, scheme)
        self.types: dict[str, int] = {}
        for tag in tags if scheme != "raw" else ():
            split = split_tag(tag, scheme)
            if split is None:
                raise ValueError(f"{tag!r} is no tag of the scheme {scheme}")
            if split[0] != "O":
                self.types.setdefault(split[1], len(self.types))

    @property
    def size(self) -> int:
        return 3 * (len(self.types) + 1) + 3

    def count(
        self,
        state: MetricState,
        answers: Sequence[Sequence[str]] | NDArray[Any],
        references: Sequence[Sequence[str]] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        for answer, reference in zip(answers, references, strict=True):
            right = sum(given == true for given, true in zip(answer, reference, strict=True))
            state[-3:] += (right, len(reference), 1)
            if self.scheme == "raw":
                continue
            given, true = (set(find_entities(tags, self.scheme, self.lenient)) for tags in (answer, reference))
            for column, found in enumerate((given & true, given, true)):
                for kind, number in Counter(kind for kind, _, _ in found).items():
                    state[3 * self.types.get(kind, len(self.types)) + column] += number

    @property
    def defined(self) -> tuple[str, ...]:
        return ("accuracy",) if self.scheme == "raw" else self.names

    def value_of(self, name: str, state: MetricState) -> float:
        if name == "accuracy":
            return ratio(state[-3], state[-2])
        return f1(*self._entities(state).sum(0))

    def scored(self, state: MetricState) -> int:
        """Sentences."""
        return round(float(state[-1]))

    def further(self, state: MetricState) -> dict[str, float]:
        """Precision and recall of entities, F1 by type; of raw tags nothing."""
        if self.scheme == "raw":
            return {}
        right, predicted, gold = self._entities(state).sum(0)
        return {
            "precision": ratio(right, predicted),
            "recall": ratio(right, gold),
            **{f"f1_{kind}": f1(*self._entities(state)[number]) for kind, number in self.types.items()},
        }

    def constant_answers(
        self, references: Sequence[Sequence[str]], texts: Sequence[Sequence[str]]
    ) -> Iterator[Sequence[Sequence[str]]]:
        """The most frequent tag for every word (mostly O), and the most frequent tag of entities of one word."""
        tags = Counter(tag for reference in references for tag in reference)
        alone: Counter[str] = Counter()
        for reference in references if self.scheme != "raw" else ():
            found = find_entities(reference, self.scheme, self.lenient)
            alone.update(reference[first] for _, first, last in found if first == last)
        for tag in dict.fromkeys(tag for counts in (tags, alone) for tag, _ in counts.most_common(1)):
            yield [[tag] * len(reference) for reference in references]

    def confusion(self, answers: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> Confusion:
        """Of raw tags, tags by tags. Of entities, types by what became of them.

        An entity is found with its own or another type where an answer has its words exactly, else it has other bounds
        where an answer of its type shares a word with it, and is missed where none does. Answers that share no word
        with an entity of their type, and have the words of none, are in a row of their own.
        """
        found: dict[str, Counter[str]] = {}
        for answer, reference in zip(answers, references, strict=True):
            if self.scheme == "raw":
                for given, true in zip(answer, reference, strict=True):
                    found.setdefault(true, Counter())[given] += 1
                continue
            given_, true_ = (find_entities(tags, self.scheme, self.lenient) for tags in (answer, reference))
            at = {(first, last): kind for kind, first, last in given_}
            known = {(first, last) for _, first, last in true_}
            for kind, first, last in true_:
                became = at.get((first, last)) or (OTHER_BOUNDS if _touches((kind, first, last), given_) else MISSED)
                found.setdefault(kind, Counter())[became] += 1
            for one in given_:
                if (one[1], one[2]) not in known and not _touches(one, true_):
                    found.setdefault(NOTHING, Counter())[one[0]] += 1
        order = [*(name for name in sorted(found) if name != NOTHING), *([NOTHING] if NOTHING in found else [])]
        return {name: dict(found[name].most_common()) for name in order}

    def _entities(self, state: MetricState) -> MetricState:
        """[T + 1, 3] entities right, predicted and gold by type."""
        return state[:-3].reshape(-1, 3)


def _touches(entity: EntityWords, others: Sequence[EntityWords]) -> bool:
    """Whether one of the others has its type and shares a word with it."""
    kind, first, last = entity
    return any(other == kind and begin <= last and first <= end for other, begin, end in others)
