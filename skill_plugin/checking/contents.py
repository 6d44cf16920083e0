"""What the rows of a split hold, by kind: answers above all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from skill_plugin.kinds.labelling.entities import entities
from skill_plugin.kinds.span.reader import NOT_FOUND
from skill_plugin.readers import Example
from skill_plugin.readers.example import label_names
from skill_plugin.spec import Corpus
from skill_plugin.spec.tag_schemes import only_inside, scheme_of


@dataclass(frozen=True)
class LabelSets:
    """Multilabel.

    Attributes:
        rows: with an answer.
        without_label: rows whose answer is that no label applies.
        mean: labels of a row with an answer.
        most: labels of one row.
    """

    rows: int
    without_label: int
    mean: float
    most: int

    @classmethod
    def of(cls, examples: Sequence[Example]) -> LabelSets:
        counts = [len(label_names(example)) for example in examples if example.answer is not None]
        return cls(len(counts), counts.count(0), round(sum(counts) / max(len(counts), 1), 3), max(counts, default=0))


@dataclass(frozen=True)
class Scores:
    """Regression: the scores that are known."""

    rows: int
    minimum: float
    mean: float
    maximum: float

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Scores | None:
        """None where no score is known."""
        scores = [cast("float", example.answer) for example in examples if example.answer is not None]
        if not scores:
            return None
        mean = math.fsum(score / len(scores) for score in scores)  # the sum of the largest numbers is no number
        return cls(len(scores), min(scores), mean, max(scores))


@dataclass(frozen=True)
class Queries:
    """Ranking.

    Attributes:
        queries, candidates: how many.
        fewest, median, most: candidates of a query; of two middle values ``median`` is the smaller one.
        relevance: how many candidates have each relevance, by its number.
        without_relevant: queries whose relevances are known and all 0.
        several_relevant: queries with more than one relevant candidate.
        twice: queries that hold a candidate twice.
    """

    queries: int
    candidates: int
    fewest: int
    median: int
    most: int
    relevance: dict[str, int]
    without_relevant: int
    several_relevant: int
    twice: int

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Queries:
        counts = sorted(len(example.candidates) for example in examples) or [0]
        known = [cast("tuple[int, ...]", example.answer) for example in examples if example.answer is not None]
        relevant = [sum(relevance > 0 for relevance in answer) for answer in known]
        return cls(
            queries=len(examples),
            candidates=sum(counts),
            fewest=counts[0],
            median=counts[(len(counts) - 1) // 2],
            most=counts[-1],
            relevance={str(n): count for n, count in sorted(Counter(n for answer in known for n in answer).items())},
            without_relevant=relevant.count(0),
            several_relevant=sum(count > 1 for count in relevant),
            twice=sum(len(set(example.candidates)) < len(example.candidates) for example in examples),
        )


@dataclass(frozen=True)
class Words:
    """Labelling.

    Attributes:
        sentences, words: how many.
        scheme: of the tags.
        entities: type -> how many entities, as the metric finds them; empty for the scheme raw.
    """

    sentences: int
    words: int
    scheme: str
    entities: dict[str, int]

    @classmethod
    def of(cls, corpus: Corpus, examples: Sequence[Example], tags: Sequence[str]) -> Words:
        scheme = corpus.scheme or scheme_of(tags)
        found: Counter[str] = Counter()
        if scheme != "raw":
            lenient = corpus.lenient or only_inside(tags, scheme)
            for example in examples:
                names = entities(label_names(example), scheme, lenient)
                found.update(name for name, _, _ in names)
        words = sum(len(example.words) for example in examples)
        return cls(len(examples), words, scheme, dict(sorted(found.items())))


@dataclass(frozen=True)
class Questions:
    """Span.

    Attributes:
        answered: questions with one answer or more.
        without_answer: questions that are known to have none.
        answers: of all questions.
        not_in_context: answers that are nowhere in their context, and only scored.
    """

    answered: int
    without_answer: int
    answers: int
    not_in_context: int

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Questions:
        known = [cast("tuple[tuple[int, str], ...]", e.answer) for e in examples if e.answer is not None]
        starts = [start for answers in known for start, _ in answers]
        return cls(sum(map(bool, known)), known.count(()), len(starts), starts.count(NOT_FOUND))


@dataclass(frozen=True)
class Texts:
    """Masked_lm, whose documents are texts, and next_sentence.

    Attributes:
        documents, characters: how many.
        sentences: of next_sentence; of masked_lm, whose texts are not divided, 0.
        pairs: places between two sentences, at which a span of them can be cut in two.
    """

    documents: int
    sentences: int
    pairs: int
    characters: int

    @classmethod
    def of(cls, kind: str, examples: Sequence[Example]) -> Texts:
        sentences = 0 if kind == "masked_lm" else sum(len(example.texts) for example in examples)
        characters = sum(len(text) for example in examples for text in example.texts)
        return cls(len(examples), sentences, max(sentences - len(examples), 0), characters)


Contents = LabelSets | Scores | Queries | Words | Questions | Texts


def contents_of(corpus: Corpus, examples: Sequence[Example], labels: Sequence[str]) -> Contents | None:
    """What the rows of a split hold; None where their labels say it all, and for scores that are unknown.

    Args:
        corpus: theirs.
        examples: of one split.
        labels: of the corpus, or those of the split where they are unknown.
    """
    match corpus.kind:
        case "regression":
            return Scores.of(examples)
        case "ranking":
            return Queries.of(examples)
        case "labelling":
            return Words.of(corpus, examples, labels)
        case "span":
            return Questions.of(examples)
        case "masked_lm" | "next_sentence":
            return Texts.of(corpus.kind, examples)
        case "multilabel":
            return LabelSets.of(examples)
        case _:
            return None
