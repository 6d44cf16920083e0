"""Answers of windows become one answer, which is a piece of the context."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import exp

import numpy as np
import pytest
import torch
from hypothesis import example as also
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.kinds.span.answer import SpanPrediction
from skill_plugin.kinds.span.items import SpanItems
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import examples, make_reading


def row_of(question: int, context: int, answers: Sequence[int] = (), blank: Sequence[int] = ()) -> EncodedRow:
    """Tokens 10, 11, … of the question and 100, 101, … of the context; each stands for two characters and a space,
    those named blank for none."""
    starts = 3 * np.arange(context)
    offsets = np.stack([starts, starts + 2 * (~np.isin(np.arange(context), blank))], axis=1)
    arrays = {"offset": offsets.reshape(-1).astype(np.int32), "answer": np.array(answers, np.int32)}
    ids = (10 + np.arange(question, dtype=np.int32), 100 + np.arange(context, dtype=np.int32))
    return EncodedRow(ids, arrays=arrays)


def asked(context: int) -> Example:
    return Example(("", "ab " * context), None, "", 0)


def logits_of(items: SpanItems, row: EncodedRow, seed: int = 0, most: int = 4) -> torch.Tensor:
    """Small whole numbers, so that many spans are equal."""
    units = sum(len(sequence.units) for sequence in items.sequences(row))
    return torch.from_numpy(np.random.default_rng(seed).integers(-most, most, (units, 2)).astype(np.float32))


@given(
    st.integers(0, 20), st.integers(0, 60), st.integers(5, 40), st.none() | st.integers(1, 40), st.integers(1, 20),
    st.lists(st.tuples(st.integers(0, 59), st.integers(0, 12)), max_size=3),
)  # fmt: skip
def test_windows_and_targets(
    encoders: dict[str, TextEncoder], question: int, context: int, max_length: int, stride: int | None,
    max_question: int, answers: list[tuple[int, int]],
) -> None:  # fmt: skip
    reading = make_reading("span", encoders["sentencepiece"], max_length, stride=stride, max_question=max_question)
    items = SpanItems(reading)
    places = [(first, first + more) for first, more in answers if first + more < context]
    row = row_of(question, context, [token for place in places for token in place])
    sequences = items.sequences(row)
    targets = items.target(row, sequences)
    kept = min(question, max_question, (max_length - 4) // 2)
    seen: set[int] = set()
    for number, sequence in enumerate(sequences):
        tokens = sequence.tokens.tolist()
        assert len(tokens) <= max_length
        assert tokens[: kept + 3] == [0, *range(10, 10 + kept), 2, 2]
        read = sequence.tokens[sequence.units].tolist()
        assert read == [0, *tokens[kept + 3 : -1]]
        inside = [(a, b) for a, b in places if {100 + a, 100 + b} <= set(tokens)]
        first, last = targets["starts"][number], targets["ends"][number]
        expected = [100 + inside[0][0], 100 + inside[0][1]] if inside else [0, 0]
        assert [read[first], read[last]] == expected
        alone = items.target(row, items.sequences(row, number), number)
        assert {name: value.tolist() for name, value in alone.items()} == {
            "sizes": [len(read)], "starts": [first], "ends": [last],
        }  # fmt: skip
        seen |= set(read[1:])
    assert seen == set(range(100, 100 + context))
    assert targets["sizes"].tolist() == [len(sequence.units) for sequence in sequences]


@given(
    st.integers(0, 40), st.integers(6, 30), st.none() | st.integers(1, 20), st.integers(1, 12), st.integers(0, 999),
    st.sets(st.integers(0, 39)), st.booleans(), st.integers(-3, 3),
)  # fmt: skip
def test_the_best_of_all_windows_and_spans(
    encoders: dict[str, TextEncoder], context: int, max_length: int, stride: int | None, max_answer: int, seed: int,
    blank: set[int], no_answer: bool, threshold: int,
) -> None:  # fmt: skip
    reading = make_reading(
        "span", encoders["word_piece"], max_length, {"no_answer": no_answer},
        stride=stride, max_answer=max_answer, no_answer_threshold=float(threshold),
    )  # fmt: skip
    items, row = SpanItems(reading), row_of(2, context, blank=sorted(blank))
    logits = logits_of(items, row, seed)
    best: dict[tuple[int, int], float] = {}
    nothing, at = [], 0
    for sequence in items.sequences(row):
        own = logits[at : at + len(sequence.units)].tolist()
        read = (sequence.tokens[sequence.units] - 100).tolist()
        at += len(own)
        nothing.append(sum(own[0]))
        for i in range(1, len(own)):
            for j in range(i, min(i + max_answer, len(own))):
                if read[i] not in blank and read[j] not in blank:
                    place = read[i], read[j]
                    best[place] = max(best.get(place, -np.inf), own[i][0] + own[j][1])
    ordered = sorted(best.items(), key=lambda one: (-one[1], one[0]))
    found = items.predict(logits, row, items.sequences(row), asked(context))
    check_n_best(found)
    spans = [(one.start, one.end, one.score) for one in found.n_best if one.end]
    assert spans == [(3 * first, 3 * last + 2, score) for (first, last), score in ordered[: len(spans)]]
    assert len(spans) >= min(len(ordered), 4 if no_answer else 5)
    if not ordered:
        assert (found.text, found.start, found.end, found.no_answer) == ("", 0, 0, 0.0)
        return
    assert found.no_answer == min(nothing) - ordered[0][1]
    if no_answer and found.no_answer > threshold:
        assert (found.text, found.start, found.end) == ("", 0, 0)
    else:
        assert (found.start, found.end) == spans[0][:2]
        assert found.text == asked(context).texts[1][found.start : found.end]
    assert any(one.end == 0 for one in found.n_best) <= no_answer


def check_n_best(found: SpanPrediction) -> None:
    scores = [one.score for one in found.n_best]
    assert scores == sorted(scores, reverse=True)
    assert 1 <= len(scores) <= 5
    assert len({(one.start, one.end) for one in found.n_best}) == len(scores)
    total = sum(exp(score - scores[0]) for score in scores)
    assert [one.probability for one in found.n_best] == pytest.approx([exp(s - scores[0]) / total for s in scores])
    own = [one.probability for one in found.n_best if (one.start, one.end) == (found.start, found.end)]
    assert [found.probability] == (own or [0.0])


TEXTS = st.text(max_size=40) | st.text("abc 北é\u0301\u200d\u2028\r\t🙂\u202e", max_size=60)


@settings(max_examples=100)
@given(TEXTS, TEXTS, st.integers(0, 99))
@also("", "", 0)
@also("why? " * 100, "the cat sat on the mat", 0)
@also("", "é\u0301\u0327 ﷺ ½ ﬃ İ", 3)
def test_answers_are_pieces_of_any_context(
    encoders: dict[str, TextEncoder], question: str, context: str, seed: int
) -> None:
    for encoder in encoders.values():
        items = SpanItems(make_reading("span", encoder, 12, {"no_answer": seed % 2}))
        made = Example((question, context), None, "", 0)
        (row,) = items.encode([made])
        found = items.predict(logits_of(items, row, seed), row, items.sequences(row), made)
        check_n_best(found)
        for one in (found, *found.n_best):
            assert one.text == context[one.start : one.end]
        assert found.to_line().count("\t") == 3
        assert not {"\n", "\r", "\u2028"} & set(found.to_line())


def test_stored_answers_are_the_tokens_of_the_answer(encoder: TextEncoder) -> None:
    items = SpanItems(make_reading("span", encoder, 200))
    for made in examples("span", 40):
        (row,) = items.encode([made])
        offsets = row.arrays["offset"].reshape(-1, 2).tolist()
        expected = []
        for start, text in made.answer or ():  # type: ignore[union-attr, misc]
            tokens = [t for t, (a, b) in enumerate(offsets) if max(a, start) < min(b, start + len(text))]
            expected += [min(tokens), max(tokens)]
        assert row.arrays["answer"].tolist() == expected
        sequences = items.sequences(row)
        target = items.target(row, sequences)
        first, last = (int(target[name][0]) for name in ("starts", "ends"))
        assert [first, last] == ([token + 1 for token in expected] or [0, 0])
        assert items.score(logits_of(items, row), row, sequences, made)[1] == [text for _, text in made.answer or ()]  # type: ignore[union-attr, misc]


def test_a_sequence_needs_room_for_a_token(encoders: dict[str, TextEncoder]) -> None:
    with pytest.raises(InputError, match="'span': the longest sequence has 4 tokens; expected at least 5"):
        SpanItems(make_reading("span", encoders["sentencepiece"], 4))
    tight = SpanItems(make_reading("span", encoders["sentencepiece"], 5))
    assert [s.tokens.tolist() for s in tight.sequences(row_of(9, 2))] == [[0, 2, 2, 100, 2], [0, 2, 2, 101, 2]]


def test_no_quadratic_time(encoders: dict[str, TextEncoder]) -> None:
    items = SpanItems(make_reading("span", encoders["sentencepiece"], 128))
    row = row_of(20, 5_000)
    logits = logits_of(items, row, most=10_000)
    begin = time.process_time()
    items.predict(logits, row, items.sequences(row), asked(5_000))
    assert time.process_time() - begin < 1  # takes 20 ms
