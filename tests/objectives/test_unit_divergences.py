"""KL(p || q) + KL(q || p) of every kind against loops in exact arithmetic, near to 0 and far from it."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin.objectives.symmetric_kl import symmetric_kl_terms
from skill_plugin.objectives.unit_divergences import unit_divergences
from skill_plugin.objectives.unit_losses import unit_losses

SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=5)
DISTANCES = st.sampled_from([0.0, 1e-3, 1.0, 40.0, 3000.0])  # exp overflows from 89 on


def softmax(row: list[float]) -> list[float]:
    """Logarithms of the probabilities."""
    top = max(row)
    total = math.log(math.fsum(math.exp(x - top) for x in row))
    return [x - top - total for x in row]


def kl(p: list[float], q: list[float]) -> float:
    """KL(p || q) + KL(q || p) of logits."""
    p, q = softmax(p), softmax(q)
    both = ((p, q), (q, p))
    return math.fsum(math.exp(a) * (a - b) for one, other in both for a, b in zip(one, other, strict=True))


def pair(rows: int, columns: int, distance: float) -> tuple[Tensor, Tensor]:
    """Clean and noisy outputs, exact in float32."""
    generator = torch.Generator().manual_seed(rows * 31 + columns)
    clean = torch.randn(rows, columns, generator=generator)
    noisy = clean + distance * torch.randn(rows, columns, generator=generator)
    return clean.requires_grad_(), noisy.requires_grad_()


def agree(kind: str, loss: str, pair: tuple[Tensor, Tensor], target: dict[str, Tensor], expected: list[float]) -> None:
    found = unit_divergences(kind, loss, *pair, target)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found.detach().double(), torch.tensor(expected).double(), atol=1e-10, rtol=2e-3)
    assert (found >= 0).all()
    found.sum().backward()
    for outputs in pair:
        assert outputs.grad is not None
        assert outputs.grad.isfinite().all()


@pytest.mark.parametrize("kind", ["classification", "labelling", "word_in_context", "next_sentence", "masked_lm"])
@given(st.integers(0, 6), st.integers(1, 6), DISTANCES)
def test_one_class_each(kind: str, units: int, classes: int, distance: float) -> None:
    both = pair(units, classes, distance)
    agree(kind, "", both, {}, [kl(p, q) for p, q in zip(*(one.tolist() for one in both), strict=True)])


@given(st.integers(0, 5), st.integers(1, 5), DISTANCES)
def test_multilabel(units: int, labels: int, distance: float) -> None:
    both = pair(units, labels, distance)
    rows = zip(*(one.tolist() for one in both), strict=True)
    expected = [math.fsum(kl([a, 0.0], [b, 0.0]) for a, b in zip(*row, strict=True)) / labels for row in rows]
    agree("multilabel", "", both, {}, expected)


@given(st.integers(0, 5), DISTANCES)
def test_regression(units: int, distance: float) -> None:
    """Of Gaussians with variance v = 1/2, for which (a - y)^2 is the loss: KL is (a - b)^2 / (2 v), both ways."""
    both = pair(units, 1, distance)
    agree("regression", "", both, {}, [2 * (a - b) ** 2 for (a,), (b,) in zip(*map(Tensor.tolist, both), strict=True)])


@given(SIZES, DISTANCES)
def test_ranking(sizes: list[int], distance: float) -> None:
    ends = [0, *torch.tensor(sizes).cumsum(0).tolist()]
    runs = [slice(*bounds) for bounds in pairwise(ends)]
    relevance = torch.arange(ends[-1]) % 3
    target = {"relevance": relevance, "sizes": torch.tensor(sizes)}
    both = pair(ends[-1], 2, distance)
    each = [kl(p, q) for p, q in zip(*(one.tolist() for one in both), strict=True)]
    agree("ranking", "pointwise", both, target, [math.fsum(each[run]) / (run.stop - run.start) for run in runs])
    grades = pair(ends[-1], 5, distance)
    each = [kl(p, q) for p, q in zip(*(one.tolist() for one in grades), strict=True)]
    agree("ranking", "graded", grades, target, [math.fsum(each[run]) / (run.stop - run.start) for run in runs])
    scores = pair(ends[-1], 1, distance)
    columns = [one.flatten().tolist() for one in scores]
    kept = [run for run in runs if relevance[run].any()]
    agree("ranking", "listwise", scores, target, [kl(columns[0][run], columns[1][run]) for run in kept])
    assert len(unit_losses("ranking", "listwise", scores[0], target).values) == len(kept)


@given(SIZES, DISTANCES)
def test_span(sizes: list[int], distance: float) -> None:
    ends = [0, *torch.tensor(sizes).cumsum(0).tolist()]
    both = pair(ends[-1], 2, distance)
    columns = [[one[:, side].tolist() for one in both] for side in (0, 1)]
    runs = [slice(*bounds) for bounds in pairwise(ends)]
    expected = [math.fsum(kl(p[run], q[run]) for p, q in columns) / 2 for run in runs]
    agree("span", "", both, {"sizes": torch.tensor(sizes)}, expected)


def test_small_divergences_are_exact() -> None:
    """Where a sum of KL(p || q) alone, in float32, is nothing but rounding."""
    generator = torch.Generator().manual_seed(0)
    p = torch.randn(200, 1000, generator=generator)
    q = p + 1e-4 * torch.randn(200, 1000, generator=generator)
    exact = [one.double().log_softmax(1) for one in (p, q)]
    expected = ((exact[0].exp() - exact[1].exp()) * (exact[0] - exact[1])).sum(1)
    found = symmetric_kl_terms(p.log_softmax(1), q.log_softmax(1)).sum(1)
    torch.testing.assert_close(found.double(), expected, rtol=2e-3, atol=0)


def test_gradients_are_those_of_the_formula() -> None:
    both = [one.detach().double().requires_grad_() for one in pair(3, 4, 1.0)]
    assert torch.autograd.gradcheck(lambda p, q: symmetric_kl_terms(p.log_softmax(1), q.log_softmax(1)), both)


def test_half_precision_outputs_are_compared_in_float32() -> None:
    clean, noisy = torch.zeros(1, 2, dtype=torch.float16), torch.tensor([[1e-3, 0.0]], dtype=torch.float16)
    found = unit_divergences("classification", "", clean, noisy, {})
    assert float(found) == pytest.approx(kl([0.0, 0.0], noisy[0].tolist()), rel=1e-3)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown kind 'poem'"):
        unit_divergences("poem", "", torch.zeros(1, 2), torch.zeros(1, 2), {})
