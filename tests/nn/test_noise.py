"""Noise is added as it is where it is above rounding, and else large enough to be seen."""

from __future__ import annotations

import pytest
import torch

from skill_plugin.nn.noise import Noise


def embeddings(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return (0.1 * torch.randn(200, 384, generator=torch.Generator().manual_seed(0))).to(dtype)


def noise(sigma: float) -> Noise:
    return Noise(sigma * torch.randn(200, 384, generator=torch.Generator().manual_seed(1)), sigma)


@pytest.mark.parametrize(
    ("dtype", "sigma"),
    [
        (torch.float64, 1e-5),
        (torch.float32, 1e-4),
        (torch.float16, 0.01),
        (torch.bfloat16, 0.01),
        (torch.bfloat16, 1.0),
    ],
)
def test_as_it_is(dtype: torch.dtype, sigma: float) -> None:
    large, x = noise(sigma), embeddings(dtype)
    exact = x.to(torch.promote_types(dtype, torch.float32))
    added, magnification = large.add_to(x)
    assert torch.equal(added, (exact + large.values).to(dtype))
    assert float(magnification) == 1.0


def test_in_float32_it_is_raised_a_little() -> None:
    small, x = noise(1e-5), embeddings()
    sums, magnification = small.add_to(x)
    added = sums.double() - x.double()
    assert float(magnification) == pytest.approx(0.75 * 2**-11.5 * 0.1 / 1e-5, rel=0.02)
    torch.testing.assert_close(added, magnification.double() * small.values.double(), atol=3e-8, rtol=1e-5)


@pytest.mark.parametrize(("dtype", "step"), [(torch.bfloat16, 0.066), (torch.float16, 0.0234)])
@pytest.mark.parametrize("autocast", [False, True])
def test_in_half_precision_it_survives(dtype: torch.dtype, step: float, autocast: bool) -> None:
    """1e-5 would be lost in nine of ten elements; what is added is s times it, and nearly all of it arrives."""
    small, x = noise(1e-5), embeddings(torch.float32 if autocast else dtype)
    with torch.autocast("cpu", dtype, enabled=autocast):
        y, factor = small.add_to(x)
    assert y.dtype == x.dtype
    lost = (x.to(dtype).float() + small.values).to(dtype) == x.to(dtype)
    assert lost.float().mean() > 0.8
    magnification = float(factor)
    assert magnification * 1e-5 == pytest.approx(0.1 * step, rel=0.02)
    added = (y.float() - x.float()) / magnification
    assert float((added * small.values).sum() / small.values.square().sum()) == pytest.approx(1, abs=0.01)


def test_the_gradient_is_that_of_the_embeddings() -> None:
    x = embeddings(torch.bfloat16).requires_grad_()
    noise(1e-5).add_to(x)[0].float().sum().backward()
    assert torch.equal(x.grad, torch.ones_like(x))
