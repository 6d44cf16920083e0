"""Metrics of answers that are spans of a context, from their texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_plugin.kinds.span import SpanKind
from skill_plugin.kinds.span.answer_text import answer_tokens
from skill_plugin.metrics.metric import Metric, MetricState, f1, ratio

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=[。！？।؟])")


class Span(Metric[str, Sequence[str]]):
    """F1 and exact match as the official scripts of SQuAD v1.1 and v2 (English) and MLQA (other languages) have them.

    Answers are texts, "" for none. References are the texts of all gold answers, none for a question without an answer;
    the best one counts. As in SQuAD's v2 script, gold answers without any token ("the") are left out, and a question
    that has no others is one without an answer. Between 0 and 1, where the scripts print percentages.

    The state is exact matches, summed F1 and number of questions with an answer, then the same of those without: [6].

    Args:
        name: f1 or exact_match.
        language: of the answers, which decides what a token is.

    Raises:
        ValueError: an unknown metric.
    """

    names = SpanKind.metrics
    reads_texts = True

    def __init__(self, name: str, language: str) -> None:
        super().__init__(name)
        self.language = language

    @property
    def size(self) -> int:
        return 6

    def count(
        self,
        state: MetricState,
        answers: Sequence[str] | NDArray[Any],
        references: Sequence[Sequence[str]] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        for answer, reference in zip(answers, references, strict=True):
            given = answer_tokens(answer, self.language)
            gold = [tokens for text in reference if (tokens := answer_tokens(text, self.language))]
            part = state[:3] if gold else state[3:]
            part += (given in (gold or [[]]), max(_f1(given, true) for true in gold or [[]]), 1)

    def value_of(self, name: str, state: MetricState) -> float:
        column = 0 if name == "exact_match" else 1
        return ratio(state[column] + state[column + 3], state[2] + state[5])

    def scored(self, state: MetricState) -> int:
        return round(float(state[2] + state[5]))

    def further(self, state: MetricState) -> dict[str, float]:
        """Where there are questions without an answer, the values of both sorts of questions."""
        if not state[5]:
            return {}
        return {
            "has_answer_f1": ratio(state[1], state[2]),
            "has_answer_exact_match": ratio(state[0], state[2]),
            "no_answer_accuracy": ratio(state[3], state[5]),
            "without_answer": float(state[5]),
        }

    def constant_answers(
        self, references: Sequence[Sequence[str]], texts: Sequence[Sequence[str]]
    ) -> Iterator[Sequence[str]]:
        """No answer, the context's first sentence, and all of it; the context is the last of an item's texts."""
        yield [""] * len(references)
        yield [_SENTENCE_END.split(text[-1].strip(), 1)[0] for text in texts]
        yield [text[-1] for text in texts]


def _f1(given: list[str], true: list[str]) -> float:
    """F1 of two bags of tokens; two empty ones are equal."""
    if not given or not true:
        return float(given == true)
    return f1((Counter(given) & Counter(true)).total(), len(given), len(true))
