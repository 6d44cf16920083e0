"""The entropy of each example, for every kind, against a loop over its units."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from skill_plugin.objectives import entropy
from skill_plugin.objectives.entropy import example_entropies


def plain(probabilities: Tensor) -> float:
    return -sum(p * math.log(p) for p in probabilities.double().tolist() if p > 0)


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def of_rows(rows: Tensor) -> float:
    return mean([plain(row.double().softmax(0)) for row in rows])


def of_columns(rows: Tensor) -> float:
    return mean([plain(column.double().softmax(0)) for column in rows.T])


def of_yes_or_no(rows: Tensor) -> float:
    return mean([plain(torch.stack([p, 1 - p])) for p in rows.double().sigmoid().flatten()])


def of_upper_or_lower(rows: Tensor) -> float:
    p = min(max((float(rows[0, 0]) + 1) / 2, 0.0), 1.0)
    return plain(torch.tensor([p, 1 - p], dtype=torch.float64))


CASES: dict[tuple[str, str], tuple[int, list[int], Callable[[Tensor], float], int | None]] = {
    ("classification", ""): (5, [1, 1, 1], of_rows, 5),
    ("word_in_context", ""): (2, [1, 1, 1], of_rows, 2),
    ("next_sentence", ""): (2, [1, 1, 1], of_rows, 2),
    ("labelling", ""): (7, [3, 0, 1, 5], of_rows, 7),
    ("masked_lm", ""): (50, [2, 1, 0], of_rows, 50),
    ("multilabel", ""): (4, [1, 1, 1], of_yes_or_no, 2),
    ("ranking", "pointwise"): (2, [3, 1, 4], of_rows, 2),
    ("ranking", "listwise"): (1, [3, 1, 4], of_columns, None),
    ("ranking", "graded"): (5, [3, 1, 4], of_rows, 5),
    ("span", ""): (2, [6, 1, 9], of_columns, None),
    ("regression", ""): (1, [1, 1, 1, 1], of_upper_or_lower, 2),
}


@pytest.mark.parametrize(("kind", "loss"), CASES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_every_kind(kind: str, loss: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    columns, units, expected, classes = CASES[kind, loss]
    outputs = (2 * torch.randn(sum(units), columns, generator=torch.Generator().manual_seed(0))).to(dtype)
    parts = outputs.split(units)
    values, greatest = example_entropies(kind, loss, outputs, units)
    assert values.dtype == greatest.dtype == torch.float32
    torch.testing.assert_close(values, torch.tensor([expected(part) for part in parts]), atol=1e-5, rtol=1e-5)
    most = [math.log(classes or max(number, 1)) for number in units]
    torch.testing.assert_close(greatest, torch.tensor(most))
    monkeypatch.setattr(entropy, "_ELEMENTS", 2 * columns)  # a few rows at a time
    assert torch.equal(example_entropies(kind, loss, outputs, units).values, values)


@pytest.mark.parametrize(("kind", "loss"), CASES)
def test_a_uniform_distribution_has_the_greatest(kind: str, loss: str) -> None:
    columns, units, _, _ = CASES[kind, loss]
    values, greatest = example_entropies(kind, loss, torch.zeros(sum(units), columns), units)
    some = torch.tensor([number > 0 for number in units])
    torch.testing.assert_close(values[some], greatest[some])
    assert not values[~some].any()


def test_sure_answers_have_none() -> None:
    for logits in (torch.tensor([[200.0, -200.0]]), torch.tensor([[-1e30, 1e30]])):
        assert example_entropies("classification", "", logits, [1]).values.tolist() == [0.0]
    for score in (-1.0, 1.0, 1.5):
        assert example_entropies("regression", "", torch.tensor([[score]]), [1]).values.tolist() == [0.0]
        raw = torch.tensor([[2.5 * (score + 1)]])
        assert example_entropies("regression", "", raw, [1], (0.0, 5.0)).values.tolist() == [0.0]
    raw = example_entropies("regression", "", torch.tensor([[2.0]]), [1], (0.0, 5.0))
    torch.testing.assert_close(raw, example_entropies("regression", "", torch.tensor([[-0.2]]), [1]))


def test_an_unknown_kind() -> None:
    with pytest.raises(ValueError, match="unknown kind 'spam'"):
        example_entropies("spam", "", torch.zeros(1, 2), [1])
