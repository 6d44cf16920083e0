"""Rows of the kind regression: what is a score, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.one_corpus import Read, faults, json_lines

REGRESSION = ("kind: regression", "format: jsonl", "columns: {text_a: t, text_b: u, score: s}")


@pytest.mark.parametrize(
    ("score", "expected"), [(3, 3.0), (2.5, 2.5), ("4.250", 4.25), (" 5 ", 5.0), ("-1e-2", -0.01), (".5", 0.5)]
)
def test_scores(read: Read, score: Any, expected: float) -> None:
    data = read(*REGRESSION, valid=json_lines({"t": "a", "u": "b", "s": score}))
    assert (faults(data), data.splits["valid"].examples[0].answer) == ([], expected)


@pytest.mark.parametrize("score", ["nan", "inf", "1_0", "3,5", "x", True, [1], "1e999", 10**400, "٣"])
def test_what_is_no_score(read: Read, score: Any) -> None:
    data = read(*REGRESSION, valid=json_lines({"t": "a", "u": "b", "s": score}))
    assert faults(data)[0].startswith("1: the score is ")
    hint = '; is "," before its decimal places (decimal: ",")?' if score == "3,5" else ""
    assert faults(data)[0].endswith(f"; expected a finite number, as 3.5{hint}")


@pytest.mark.parametrize(
    ("score", "expected"), [("3,5", 3.5), (" -0,25 ", -0.25), ("4", 4.0), (2.5, 2.5), ("1e0", 1.0)]
)
def test_decimal_commas(read: Read, score: Any, expected: float) -> None:
    data = read(*REGRESSION, "decimal: ','", valid=json_lines({"t": "a", "u": "b", "s": score}))
    assert (faults(data), data.splits["valid"].examples[0].answer) == ([], expected)


@pytest.mark.parametrize(
    ("score", "hint"), [("1.234,5", ""), ("3.5", '; is "." before its decimal places (decimal: ".")?')]
)
def test_what_is_no_score_with_decimal_commas(read: Read, score: str, hint: str) -> None:
    data = read(*REGRESSION, "decimal: ','", valid=json_lines({"t": "a", "u": "b", "s": score}))
    assert faults(data) == [f"1: the score is the string '{score}'; expected a finite number, as 3,5{hint}"]


def test_ranges_and_missing_scores(read: Read) -> None:
    content = json_lines({"t": "a", "u": "b", "s": 5}, {"t": "a", "u": "b", "s": 5.1}, {"t": "a", "u": "b", "s": None})
    data = read(*REGRESSION, "score_range: [0, 5]", train=content)
    assert faults(data) == [
        "2: the score 5.1 is outside score_range; expected 0 to 5",
        "3: no score; expected a number",
    ]
    data = read(
        *REGRESSION, "drop_labels: ['-']", train=json_lines(*({"t": "a", "u": "b", "s": s} for s in ("-", 1, 2)))
    )
    assert (faults(data), data.splits["train"].skipped) == ([], {"dropped label '-'": 1})
    data = read(
        *REGRESSION, "drop_labels: [-1]", train=json_lines(*({"t": "a", "u": "b", "s": s} for s in (-1.0, 1, 2)))
    )
    assert (faults(data), data.splits["train"].skipped) == ([], {"dropped label '-1'": 1})
    data = read(*REGRESSION, train=json_lines({"t": "a", "u": "b", "s": 1}))
    assert faults(data) == ["3: corpus 'c' has the one score 1.0 in train; expected two or more"]
