"""Answers that a model wrote: the text of an answer is that answer, and anything else is wrong and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.kinds.items import TextToText
from skill_plugin.metrics.classification import Classification
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text_to_text.written_items import WrittenItems
from tests.text_to_text.test_items import NAMES, make, row_of

SEEDS = st.integers(0, 1 << 30)


def written_by(items: WrittenItems, ids: list[list[int]]) -> torch.Tensor:
    """Outputs as a model gives them, of texts without ``</s>``."""
    outputs = torch.full((len(ids), items.most_written), -1.0)
    for row, own in zip(outputs, ids, strict=True):
        row[: len(own)] = torch.tensor(own[: items.most_written])
    return outputs


def make_written(name: str, encoder: TextEncoder, **changes: Any) -> WrittenItems:
    items = make(name, encoder, form=TextToText(greedy=True), **changes)
    assert isinstance(items, WrittenItems)
    return items


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_the_text_of_an_answer_is_that_answer(encoders: dict[str, TextEncoder], name: str, seed: int) -> None:
    encoder = encoders["sentencepiece"]
    chosen, written = make(name, encoder), make_written(name, encoder)
    made, row = row_of(chosen, name, seed)
    sequences = written.sequences(row)
    numbers = np.random.default_rng(seed).integers(0, len(chosen.answers), len(sequences)).tolist()
    outputs = written_by(written, [chosen.answers[number][:-1].tolist() for number in numbers])
    certain = torch.full((len(numbers), len(chosen.answers)), -1e4)
    certain[torch.arange(len(numbers)), numbers] = 0.0
    found = written.predict(outputs, row, sequences, made)
    assert found.answer == chosen.predict(certain, row, chosen.sequences(row), made)
    assert found.to_line() == found.answer.to_line()
    assert found.texts == [encoder.spell(chosen.answers[number][:-1].tolist()) for number in numbers]
    assert repr(written.score(outputs, row, sequences, made)) == repr(chosen.score(certain, row, sequences, made))
    assert written.tell(outputs, row, sequences, made).wrong == chosen.tell(certain, row, sequences, made).wrong
    assert found.unreadable == written.unreadable(outputs) == 0


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("choice", "grade", "asked")])
def test_what_is_no_answer_is_none_of_the_classes(encoders: dict[str, TextEncoder], name: str) -> None:
    items = make_written(name, encoders["sentencepiece"])
    made, row = row_of(items, name, 1)
    sequences = items.sequences(row)
    unfinished = [*items.answers[0][:-1].tolist(), *items.answers[1].tolist()]
    for ids in ([], [3], [*items.answers[0][:-1].tolist(), 3], unfinished):
        outputs = written_by(items, [ids])
        answer, right = items.score(outputs, row, sequences, made)
        metric = Classification("accuracy", len(items.answers), labels=items.reading.labels)
        state = np.zeros(metric.size)
        metric.count(state, [answer], [right], [0])
        assert metric.value(state) == 0.0
        assert metric.scored(state) == items.unreadable(outputs) == 1
        told = items.predict(outputs, row, sequences, made)
        assert told.answer is None
        assert told.to_json() == {"texts": told.texts, "unreadable": 1}
        assert told.to_line() == f"\t{told.texts[0]}"
        assert items.tell(outputs, row, sequences, made).wrong


@pytest.mark.parametrize(("name", "ranked_by"), [("choice", None), ("grade", "expected"), ("grade", "likeliest")])
def test_a_candidate_without_an_answer_comes_last(
    encoders: dict[str, TextEncoder], name: str, ranked_by: str | None
) -> None:
    """Also where all others are said to be wrong, to whoever asks as in scores."""
    items = make_written(name, encoders["sentencepiece"], **({"ranked_by": ranked_by} if ranked_by else {}))
    made, row = row_of(items, name, 1)
    sequences = items.sequences(row)
    wrong = items.answers[0][:-1].tolist()
    others = len(sequences) - 1
    outputs = written_by(items, [[3], *[wrong] * others])
    ranked, _ = items.score(outputs, row, sequences, made)
    assert np.isnan(ranked.scores).tolist() == [True] + [False] * others and not any(ranked.positive)
    told = items.predict(outputs, row, sequences, made)
    assert told.unreadable == items.unreadable(outputs) == 1
    said = told.to_json()
    assert (said["best"], said["order"]) == (1, [*range(1, others + 1), 0])
    assert said["scores"] == [None, *[0.0] * others]
    assert told.to_line() == "1\t- " + " ".join(["0.0000"] * others)
    assert items.tell(outputs, row, sequences, made).wrong


def test_a_text_is_an_answer_whichever_pieces_it_is_written_in(encoders: dict[str, TextEncoder]) -> None:
    encoder = encoders["sentencepiece"]
    items = make_written("one", encoder, targets={"b": "the cat"})
    _, row = row_of(items, "one", 1)
    symbols = encoder.vocabulary.symbols
    letters = [encoder.vocabulary.index(letter) for letter in "\u2581the\u2581cat"]
    assert all(symbols[i] != "<unk>" for i in letters)
    items.most_written = len(letters) + 1
    assert items.unreadable(written_by(items, [letters])) == 0
    assert items.predict(written_by(items, [letters]), row, items.sequences(row), None).texts == ["the cat"]
    space = encoder.vocabulary.index("\u2581")
    items.most_written += 2
    assert items.unreadable(written_by(items, [[space, *letters[:4], space, *letters[4:]]])) == 0
