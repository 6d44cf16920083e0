"""Dropout's rate, scale and gradient."""

from __future__ import annotations

import pytest
import torch
from scipy import stats

from skill_plugin.nn.dropout import Dropout, dropout


@pytest.mark.parametrize("probability", [0.1, 0.25, 0.5, 0.9])
def test_rate_and_scale(probability: float) -> None:
    torch.manual_seed(3)
    n = 400_003  # no multiple of four, which one draw decides
    y = dropout(torch.ones(n), probability)
    kept = int((y != 0).sum())
    assert stats.binomtest(n - kept, n, probability).pvalue > 1e-4
    torch.testing.assert_close(y[y != 0], torch.full((kept,), 1 / (1 - probability)), rtol=1e-4, atol=0)


def test_elements_are_independent() -> None:
    """Neighbours share a draw, rows and columns a pattern if it were made carelessly."""
    torch.manual_seed(4)
    dropped = dropout(torch.ones(200_000), 0.3) == 0
    for lag in (1, 2, 3, 4, 64):
        both = int((dropped[lag:] & dropped[:-lag]).sum())
        assert stats.binomtest(both, 200_000 - lag, 0.09).pvalue > 1e-4


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_the_gradient_is_that_of_a_mask(dtype: torch.dtype) -> None:
    torch.manual_seed(5)
    x = torch.randn(7, 5, 3, dtype=dtype, requires_grad=True)
    y = dropout(x, 0.4)
    (y * 2).sum().backward()
    assert y.dtype == dtype
    factor = torch.tensor(65536 / (65536 - round(0.4 * 65536)), dtype=dtype)
    torch.testing.assert_close(x.grad, torch.where(y != 0, 2 * factor, 0).to(dtype))
    torch.testing.assert_close(y, torch.where(y != 0, x * factor, 0))


def test_seeded_and_off() -> None:
    x = torch.randn(10, 10)
    layer = Dropout(0.5)
    torch.manual_seed(1)
    first = layer(x)
    torch.manual_seed(1)
    assert torch.equal(layer(x), first)
    assert torch.equal(layer.eval()(x), x)
    assert torch.equal(dropout(x, 0.0), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_copies_are_dropped_the_same_elements(dtype: torch.dtype) -> None:
    torch.manual_seed(6)
    x = torch.randn(8, 5, 3, dtype=dtype, requires_grad=True)
    y = dropout(x, 0.4, copies=2)
    first, second = y.chunk(2)
    assert torch.equal(first == 0, second == 0)
    assert 0 < int((first == 0).sum()) < first.numel()
    factor = torch.tensor(65536 / (65536 - round(0.4 * 65536)), dtype=dtype)
    torch.testing.assert_close(y, torch.where(y != 0, x * factor, 0))
    y.sum().backward()
    torch.testing.assert_close(x.grad, torch.where(y != 0, factor, torch.zeros((), dtype=dtype)))
    assert torch.equal(dropout(x, 0.0, copies=2), x)
    assert dropout(x[:0], 0.4, copies=2).shape == (0, 5, 3)
