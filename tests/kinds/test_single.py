"""Classification, multilabel, regression: one sequence, one answer."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.kinds.items import Items
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text_to_text.make_items import make_items
from tests.every_kind import make_reading

IDS = np.arange(10, 13, dtype=np.int32)


def row_of(labels: list[int] | None = None, score: float | None = None) -> EncodedRow:
    return EncodedRow((IDS, IDS), arrays={} if labels is None else {"label": np.array(labels, np.int32)}, score=score)


def test_classification(encoders: dict[str, TextEncoder]) -> None:
    items = make_items(make_reading("one", encoders["word_piece"]))
    found = items.predict(torch.tensor([[0.0, 2.0, 1.0]]), row_of(), [], None)
    shares = np.exp([0, 2, 1]) / np.exp([0, 2, 1]).sum()
    assert found.to_json() == {"label": "a", "probabilities": pytest.approx(dict(zip("bac", shares, strict=True)))}
    assert found.to_line() == "a\tb=0.0900 a=0.6652 c=0.2447"
    assert items.score(torch.tensor([[0.0, 2.0, 1.0]]), row_of([2]), [], None) == (1, 2)
    assert items.target(row_of([2]), [])["classes"].tolist() == [2]


@given(st.lists(st.floats(-30, 30, width=32), min_size=3, max_size=3), st.sets(st.integers(0, 2)))
def test_multilabel(encoders: dict[str, TextEncoder], logits: list[float], right: set[int]) -> None:
    items = make_items(make_reading("topics", encoders["word_piece"]))
    row, outputs = row_of(sorted(right, reverse=True)), torch.tensor([logits])
    found = items.predict(outputs, row, [], None).to_json()
    assert found["labels"] == [label for label, logit in zip("xyz", logits, strict=True) if logit > 0]
    assert list(found["probabilities"]) == ["x", "y", "z"]
    assert list(found["probabilities"].values()) == pytest.approx([1 / (1 + np.exp(-logit)) for logit in logits])
    given_, true = items.score(outputs, row, [], None)
    assert (["xyz"[i] for i in given_], set(true)) == (found["labels"], right)
    assert items.target(row, [])["labels"].tolist() == [[float(i in right) for i in range(3)]]


def test_no_label_is_a_line_too(encoders: dict[str, TextEncoder]) -> None:
    items = make_items(make_reading("topics", encoders["word_piece"]))
    assert items.predict(-torch.ones(1, 3), row_of(), [], None).to_line() == "\tx=0.2689 y=0.2689 z=0.2689"


@given(st.floats(-100, 100), st.floats(0.01, 100), st.floats(-3, 3))
def test_regression(encoders: dict[str, TextEncoder], lowest: float, width: float, output: float) -> None:
    facts = {"score_range": [lowest, lowest + width]}
    items = make_items(make_reading("score", encoders["word_piece"], facts=facts))
    for part, expected in ((0, -1), (0.5, 0), (1, 1), (1.5, 2)):
        scores = items.target(row_of(score=lowest + part * width), [])["scores"]
        assert scores.tolist() == pytest.approx([expected], abs=1e-4)
    outputs = torch.tensor([[output]])
    expected = lowest + (output + 1) / 2 * width
    assert_a_score(items, outputs, expected, lowest, lowest + width)


@given(st.floats(-100, 100), st.floats(0.01, 100), st.floats(-300, 300))
def test_regression_on_the_raw_scale(
    encoders: dict[str, TextEncoder], lowest: float, width: float, output: float
) -> None:
    """MT-TaG, equation 10: nothing is done to scores and outputs."""
    facts = {"score_range": [lowest, lowest + width]}
    items = make_items(make_reading("score", encoders["word_piece"], facts=facts, score_scale="raw"))
    for part in (0, 0.5, 1, 1.5):
        score = lowest + part * width
        assert items.target(row_of(score=score), [])["scores"].tolist() == [np.float32(score)]
    outputs = torch.tensor([[output]])
    assert_a_score(items, outputs, float(outputs[0, 0]), lowest, lowest + width)


def assert_a_score(items: Items, outputs: torch.Tensor, expected: float, lowest: float, highest: float) -> None:
    """Shown within the range, and scored as it is, so that what is beyond the ends is not tied there."""
    found = items.predict(outputs, row_of(), [], None)
    shown = min(max(expected, lowest), highest)
    assert found.to_json() == {
        "score": pytest.approx(shown, abs=1e-4),
        "unclipped": pytest.approx(expected, abs=1e-4),
    }
    assert found.to_line() == f"{found.to_json()['score']:.4f}"
    assert items.score(outputs, row_of(score=lowest), [], None) == (found.to_json()["unclipped"], lowest)


def test_a_constant_score(encoders: dict[str, TextEncoder]) -> None:
    items = make_items(make_reading("score", encoders["word_piece"], facts={"score_range": [3.0, 3.0]}))
    assert items.target(row_of(score=3.0), [])["scores"].tolist() == [-1]
    assert items.predict(torch.tensor([[0.7]]), row_of(), [], None).to_json()["score"] == 3.0


def test_a_regression_without_a_range(encoders: dict[str, TextEncoder]) -> None:
    with pytest.raises(InputError, match=r"corpora\.yaml:\d+: corpus 'score' needs a score_range"):
        make_items(make_reading("score", encoders["word_piece"]))
