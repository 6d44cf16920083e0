"""Linear maps and their gradients are the same by either library, and torch's of another type."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from skill_plugin.nn import linear as by
from skill_plugin.nn.linear import Linear, linear

needs_onednn = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch was built without oneDNN")


@pytest.fixture(autouse=True)
def _onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chosen on whatever processor this is."""
    monkeypatch.setattr(by, "onednn_is_faster", lambda: True)


@needs_onednn
@pytest.mark.parametrize("shape", [(0, 24), (1, 24), (77, 24), (2, 5, 24), (24,)])
@pytest.mark.parametrize("biased", [True, False])
@torch.no_grad()
def test_any_shape_and_layout(shape: tuple[int, ...], biased: bool) -> None:
    torch.manual_seed(0)
    bias = torch.randn(9) if biased else None
    for x in (torch.randn(shape), torch.randn(*shape, 3)[..., 1]):
        for weight in (torch.randn(9, 24), torch.randn(24, 9).t(), torch.randn(9, 48)[:, ::2]):
            before = x.clone(), weight.clone()
            y = linear(x, weight, bias)
            exact = x.double() @ weight.double().t() + (0 if bias is None else bias.double())
            assert y.shape == exact.shape and y.dtype == torch.float32
            torch.testing.assert_close(y, exact.float(), atol=1e-5, rtol=1e-5)
            assert torch.equal(x, before[0]) and torch.equal(weight, before[1])


@needs_onednn
@torch.no_grad()
def test_what_is_not_finite_stays_so() -> None:
    made = Linear(24, 9)
    for value in (float("nan"), float("inf")):
        x = torch.ones(3, 24)
        x[1, 2] = value
        assert torch.equal(made(x).isfinite().all(1), torch.tensor([True, False, True]))


@needs_onednn
@pytest.mark.parametrize("shape", [(0, 24), (1, 24), (77, 24), (2, 5, 24)])
def test_gradients(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    bias = torch.randn(9)
    for x in (torch.randn(shape), torch.randn(*shape, 3)[..., 1], torch.randn(24).expand(shape)):
        for weight in (torch.randn(9, 24), torch.randn(24, 9).t()):
            for weights in (torch.randn(*shape[:-1], 9), None):  # without them the gradient is one number for all
                given = [one.detach().clone().requires_grad_() for one in (weight, bias)]
                exact = [one.detach().double().requires_grad_() for one in (x, weight, bias)]
                learned = x.detach().requires_grad_()
                _weighted(linear(learned, *given), weights).backward()
                _weighted(F.linear(*exact), weights).backward()
                for one, other in zip((learned, *given), exact, strict=True):
                    assert one.grad is not None and other.grad is not None
                    torch.testing.assert_close(one.grad, other.grad.float(), atol=1e-4, rtol=1e-5)


def _weighted(y: Tensor, weights: Tensor | None) -> Tensor:
    return y.sum() if weights is None else (y * weights).sum()


@needs_onednn
def test_what_is_not_learned_gets_none() -> None:
    made, x = Linear(24, 9), torch.randn(7, 24)
    made.weight.requires_grad_(False)
    made(x).sum().backward()
    assert made.weight.grad is None and made.bias.grad is not None and x.grad is None
    made.requires_grad_(False)
    assert not made(x).requires_grad


@torch.no_grad()
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_types_are_torchs(dtype: torch.dtype) -> None:
    made, x = Linear(24, 9), torch.randn(7, 24)
    with torch.autocast("cpu", torch.bfloat16):
        assert made(x).dtype == torch.bfloat16
    made, x = made.to(dtype), x.to(dtype)
    assert torch.equal(made(x), F.linear(x, made.weight, made.bias))
