"""What the families of answers compute, in exact arithmetic and loops over units; and outputs to compute it of."""

from __future__ import annotations

import math
from itertools import accumulate

import torch
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin.objectives.family import Family, UnitLosses

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=6)
SCALES = st.sampled_from([0.0, 1.0, 30.0, 2000.0])  # exp overflows from 89 on
DISTANCES = st.sampled_from([0.0, 1e-3, 1.0, 40.0, 3000.0])


def outputs(rows: int, columns: int, seed: int, scale: float = 1.0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(rows, columns, generator=generator) * scale).requires_grad_()


def pair(rows: int, columns: int, distance: float) -> tuple[Tensor, Tensor]:
    """Clean and noisy outputs, exact in float32."""
    generator = torch.Generator().manual_seed(rows * 31 + columns)
    clean = torch.randn(rows, columns, generator=generator)
    noisy = clean + distance * torch.randn(rows, columns, generator=generator)
    return clean.requires_grad_(), noisy.requires_grad_()


def whole(rows: int, end: int, seed: int) -> Tensor:
    return torch.randint(0, end, (rows,), generator=torch.Generator().manual_seed(seed))


def runs(sizes: list[int]) -> list[slice]:
    return [slice(end - size, end) for end, size in zip(accumulate(sizes), sizes, strict=True)]


def log_softmax(row: list[float]) -> list[float]:
    top = max(row)
    total = math.log(math.fsum(math.exp(x - top) for x in row))
    return [x - top - total for x in row]


def softmax(row: list[float]) -> list[float]:
    return [math.exp(x) for x in log_softmax(row)]


def kl(p: list[float], q: list[float]) -> float:
    """KL(p || q) + KL(q || p) of logits."""
    p, q = log_softmax(p), log_softmax(q)
    both = ((p, q), (q, p))
    return math.fsum(math.exp(a) * (a - b) for one, other in both for a, b in zip(one, other, strict=True))


def entropy(probabilities: list[float]) -> float:
    return -math.fsum(p * math.log(p) for p in probabilities if p > 0)


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def assert_losses(losses: UnitLosses, expected: list[float], logits: Tensor) -> None:
    """Values, number type, and gradients that are finite and nowhere missing."""
    assert losses.values.dtype == torch.float32
    torch.testing.assert_close(losses.values.detach(), torch.tensor(expected), atol=1e-4, rtol=1e-4)
    losses.values.sum().backward()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()


def assert_divergences(
    family: Family, both: tuple[Tensor, Tensor], target: dict[str, Tensor], expected: list[float]
) -> None:
    """Values, number type, none below 0, and gradients of both that are finite and nowhere missing."""
    found = family.divergences(*both, target)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found.detach().double(), torch.tensor(expected).double(), atol=1e-10, rtol=2e-3)
    assert (found >= 0).all()
    found.sum().backward()
    for one in both:
        assert one.grad is not None
        assert one.grad.isfinite().all()


def assert_entropies(family: Family, logits: Tensor, units: list[int], values: list[float], classes: list[int]) -> None:
    """Of each example, and what its entropy is at most."""
    found = family.entropies(logits, units)
    assert found.values.dtype == found.greatest.dtype == torch.float32
    torch.testing.assert_close(found.values.detach(), torch.tensor(values), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(found.greatest, torch.tensor([math.log(number) for number in classes]))


def assert_probabilities(found: Tensor, expected: list[list[float]]) -> None:
    assert found.dtype == torch.float32
    torch.testing.assert_close(found.detach(), torch.tensor(expected).reshape(found.shape), atol=1e-5, rtol=1e-5)
