"""KL(p || q) + KL(q || p), near to 0 and far from it."""

from __future__ import annotations

import pytest
import torch

from skill_plugin.objectives.symmetric_kl import row_divergences, symmetric_kl_terms
from tests.objectives.direct import kl, pair


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
    assert float(row_divergences(clean, noisy)) == pytest.approx(kl([0.0, 0.0], noisy[0].tolist()), rel=1e-3)
