"""Every loss against loops over units, queries and sequences, and what half precision and extremes do to it."""

from __future__ import annotations

import math
from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin.objectives.loss_scaling import scaled_losses
from skill_plugin.objectives.unit_losses import UnitLosses, unit_losses

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=6)
SCALES = st.sampled_from([0.0, 1.0, 30.0, 2000.0])  # exp overflows from 89 on


def outputs(rows: int, columns: int, seed: int, scale: float = 1.0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(rows, columns, generator=generator) * scale).requires_grad_()


def log_softmax(row: list[float]) -> list[float]:
    top = max(row)
    total = math.log(math.fsum(math.exp(x - top) for x in row))
    return [x - top - total for x in row]


def whole(rows: int, end: int, seed: int) -> Tensor:
    return torch.randint(0, end, (rows,), generator=torch.Generator().manual_seed(seed))


def runs(sizes: list[int]) -> list[slice]:
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]


def agree(losses: UnitLosses, expected: list[float], logits: Tensor) -> None:
    """Values, number type, and gradients that are finite and nowhere missing."""
    assert losses.values.dtype == torch.float32
    torch.testing.assert_close(losses.values.detach(), torch.tensor(expected), atol=1e-4, rtol=1e-4)
    losses.values.sum().backward()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()


@pytest.mark.parametrize("kind", ["classification", "labelling", "word_in_context", "next_sentence", "masked_lm"])
@given(st.integers(0, 9), st.integers(1, 5), SCALES)
def test_classes(kind: str, units: int, classes: int, scale: float) -> None:
    logits, target = outputs(units, classes, units, scale), whole(units, classes, classes)
    losses = unit_losses(kind, "", logits, {"classes": target})
    assert losses.classes == classes
    agree(losses, [-log_softmax(row)[c] for row, c in zip(logits.tolist(), target.tolist(), strict=True)], logits)


@given(st.integers(0, 5), st.integers(1, 5), SCALES)
def test_multilabel(units: int, labels: int, scale: float) -> None:
    logits, target = outputs(units, labels, units, scale), whole(units * labels, 2, labels).view(units, labels).float()
    losses = unit_losses("multilabel", "", logits, {"labels": target})
    assert losses.classes == 2
    expected = []
    for row, right in zip(logits.tolist(), target.tolist(), strict=True):
        each = [-log_softmax([0.0, x])[int(y)] for x, y in zip(row, right, strict=True)]
        expected.append(sum(each) / labels)
    agree(losses, expected, logits)


@given(st.integers(0, 7))
def test_regression(units: int) -> None:
    predicted, scores = outputs(units, 1, units), outputs(units, 1, 99).detach().squeeze(1)
    losses = unit_losses("regression", "", predicted, {"scores": scores})
    assert losses.classes is None
    agree(losses, [(x - y) ** 2 for (x,), y in zip(predicted.tolist(), scores.tolist(), strict=True)], predicted)


@given(SIZES, SCALES, st.integers(0, 99))
def test_pointwise_ranking(sizes: list[int], scale: float, seed: int) -> None:
    logits, relevance = outputs(sum(sizes), 2, seed, scale), whole(sum(sizes), 4, seed)
    target = {"relevance": relevance, "sizes": torch.tensor(sizes)}
    losses = unit_losses("ranking", "pointwise", logits, target)
    assert losses.classes == 2
    expected = []
    for run in runs(sizes):
        rows, right = logits[run].tolist(), relevance[run].tolist()
        each = [-log_softmax(row)[1 if grade > 0 else 0] for row, grade in zip(rows, right, strict=True)]
        expected.append(sum(each) / len(each))
    agree(losses, expected, logits)


@given(SIZES, SCALES, st.integers(0, 99), st.sampled_from([1, 2, 4]), st.booleans())
def test_listwise_ranking(sizes: list[int], scale: float, seed: int, grades: int, floats: bool) -> None:
    scores, relevance = outputs(sum(sizes), 1, seed, scale), whole(sum(sizes), grades, seed)
    target = {"relevance": relevance.float() if floats else relevance, "sizes": torch.tensor(sizes)}
    losses = unit_losses("ranking", "listwise", scores, target)
    expected, kept = [], []
    for run, size in zip(runs(sizes), sizes, strict=True):
        grade = relevance[run].tolist()
        if not any(grade):
            continue
        row = log_softmax(scores[run].squeeze(1).tolist())
        expected.append(-sum(g / sum(grade) * x for g, x in zip(grade, row, strict=True)))
        kept.append(size)
    assert isinstance(losses.classes, Tensor)
    assert losses.classes.tolist() == kept
    agree(losses, expected, scores)
    for run in runs(sizes):
        if not relevance[run].any():
            assert scores.grad is not None
            assert not scores.grad[run].any()


@given(SIZES, SCALES, st.integers(0, 99), st.randoms(use_true_random=False))
def test_ranking_by_grades(sizes: list[int], scale: float, seed: int, rng: Random) -> None:
    """Softmax over five grades of each candidate, the mean over a query's candidates, / log 5 with log-classes."""
    logits = outputs(sum(sizes), 5, seed, scale)
    grades = [rng.randrange(5) for _ in range(sum(sizes))]
    losses = unit_losses("ranking", "graded", logits, {"relevance": torch.tensor(grades), "sizes": torch.tensor(sizes)})
    assert losses.classes == 5
    each = [-log_softmax(row)[grade] for row, grade in zip(logits.tolist(), grades, strict=True)]
    expected = [sum(each[run]) / (run.stop - run.start) for run in runs(sizes)]
    scaled = scaled_losses(losses, "log-classes").tolist()
    assert scaled == pytest.approx([loss / math.log(5) for loss in expected], rel=1e-4, abs=1e-5)
    agree(losses, expected, logits)


@given(SIZES, SCALES, st.integers(0, 99), st.randoms(use_true_random=False))
def test_span(sizes: list[int], scale: float, seed: int, rng: Random) -> None:
    logits = outputs(sum(sizes), 2, seed, scale)
    starts, ends = ([rng.randrange(size) for size in sizes] for _ in range(2))
    target = {"sizes": torch.tensor(sizes), "starts": torch.tensor(starts), "ends": torch.tensor(ends)}
    losses = unit_losses("span", "", logits, target)
    assert losses.classes is None
    expected = []
    for run, start, end in zip(runs(sizes), starts, ends, strict=True):
        columns = logits[run].T.tolist()
        expected.append(-(log_softmax(columns[0])[start] + log_softmax(columns[1])[end]) / 2)
    agree(losses, expected, logits)


def test_gradients_of_runs_are_those_of_each_run_alone() -> None:
    sizes, starts, ends = [3, 1, 5], [2, 0, 0], [0, 0, 4]
    logits, alone = outputs(9, 2, 3), outputs(9, 2, 3)
    target = {"sizes": torch.tensor(sizes), "starts": torch.tensor(starts), "ends": torch.tensor(ends)}
    unit_losses("span", "", logits, target).values.sum().backward()
    for run, start, end in zip(runs(sizes), starts, ends, strict=True):
        for column, right in enumerate((start, end)):
            loss = torch.nn.functional.cross_entropy(alone[run, column][None], torch.tensor([right])) / 2
            loss.backward()
    torch.testing.assert_close(logits.grad, alone.grad)


TARGETS = {
    ("classification", ""): (3, {"classes": torch.tensor([0, 2, 1, 1])}),
    ("multilabel", ""): (3, {"labels": torch.tensor([[0.0, 1, 1]] * 4)}),
    ("regression", ""): (1, {"scores": torch.tensor([0.5, 1.0, 700.0, 2.0])}),
    ("ranking", "pointwise"): (2, {"relevance": torch.tensor([0, 1, 2, 0]), "sizes": torch.tensor([3, 1])}),
    ("ranking", "graded"): (3, {"relevance": torch.tensor([0, 1, 2, 0]), "sizes": torch.tensor([3, 1])}),
    ("ranking", "listwise"): (1, {"relevance": torch.tensor([0, 1, 2, 0]), "sizes": torch.tensor([3, 1])}),
    ("span", ""): (
        2,
        {"sizes": torch.tensor([3, 1]), "starts": torch.tensor([1, 0]), "ends": torch.tensor([2, 0])},
    ),
}


@pytest.mark.parametrize("number", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("kind", "loss"), TARGETS)
def test_half_precision_outputs_are_computed_in_float32(kind: str, loss: str, number: torch.dtype) -> None:
    columns, target = TARGETS[kind, loss]
    half = (outputs(4, columns, 1, 30.0).detach()).to(number).requires_grad_()
    exact = half.detach().float().requires_grad_()
    losses, expected = (unit_losses(kind, loss, x, target).values for x in (half, exact))
    assert losses.dtype == torch.float32
    assert torch.equal(losses, expected)
    losses.sum().backward()
    assert half.grad is not None
    assert half.grad.dtype == number
    assert half.grad.isfinite().all()


def test_unknown_kinds_and_losses() -> None:
    with pytest.raises(ValueError, match="unknown kind 'labeling'"):
        unit_losses("labeling", "", torch.zeros(1, 2), {})
    with pytest.raises(ValueError, match="unknown loss 'pairwise'"):
        unit_losses("ranking", "pairwise", torch.zeros(1, 2), {})
