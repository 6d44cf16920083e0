"""Repeated rows found by digests, against sets and dicts of the rows themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any, cast
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.checking.repeats import collect_keys, find_overlap, find_repeats
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers import Example, example_rows
from skill_plugin.readers.example_rows import ExampleRows

TEXTS = st.lists(st.sampled_from(["a", "b", ""]), min_size=1, max_size=2).map(tuple)
ANSWERS: dict[str, st.SearchStrategy[Any]] = {
    "classification": st.sampled_from(["x", "y", None]),
    "regression": st.sampled_from([0.0, 1.0, -1.0, -2.0, 0.5, None]),
    "multilabel": st.sampled_from([(), ("x",), ("x", "y"), ("y", "x"), None]),
    "span": st.sampled_from([(), ((0, "a"),), ((0, "a"), (1, "b")), ((1, "b"), (0, "a")), None]),
    "masked_lm": st.none(),
}


def claim(kind: str, example: Example) -> tuple[Hashable, Hashable]:
    answer = example.answer
    return example.texts, frozenset(cast("tuple[Any, ...]", answer)) if kind in (
        "multilabel",
        "span",
    ) and answer else answer


@pytest.mark.parametrize("kind", ANSWERS)
@given(data=st.data())
def test_one_question_a_row(kind: str, data: st.DataObject) -> None:
    made = st.builds(lambda texts, answer: Example(texts, answer, "f", 1), TEXTS, ANSWERS[kind])
    examples, train = data.draw(st.lists(made, max_size=12)), data.draw(st.lists(made, max_size=4))
    findings = kind_named(kind).findings(cast("Any", None))
    seen, first = set[Hashable](), dict[Hashable, Any]()
    same, conflicting, other = [], [], []
    for number, example in enumerate(examples):
        asked, answer = claim(kind, example)
        earlier = first.setdefault(asked, answer)
        contradict = bool(earlier) != bool(answer) if kind == "span" else earlier != answer
        if (asked, answer) in seen:
            same.append(number)
        elif earlier is not None and answer is not None and contradict:
            conflicting.append(number)
        elif kind == "span" and earlier != answer:
            other.append(number)
        seen.add((asked, answer))
    with patch.object(example_rows, "BLOCK", 3):
        found = find_repeats(findings, ExampleRows(examples))
        overlap = find_overlap(findings, ExampleRows(examples), collect_keys(findings, ExampleRows(train)))
    assert [rows.tolist() for rows in (found.same, found.conflicting, found.other_answers)] == [
        same,
        conflicting,
        other,
    ]
    texts = Counter(example.texts for example in train)
    assert overlap.tolist() == [number for number, example in enumerate(examples) if texts[example.texts]]
