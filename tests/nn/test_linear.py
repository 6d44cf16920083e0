"""Linear maps are the same by either library, and torch's wherever gradients or another type are asked for."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from skill_plugin.nn import linear as by
from skill_plugin.nn.linear import Linear, linear

needs_onednn = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch was built without oneDNN")


@pytest.fixture(autouse=True)
def _onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chosen on whatever processor this is, whatever the size."""
    monkeypatch.setattr(by, "onednn_is_faster", lambda: True)
    monkeypatch.setattr(by, "LEAST", 0)


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


def test_gradients_are_torchs() -> None:
    made, x = Linear(24, 9), torch.randn(7, 24, requires_grad=True)
    y = made(x)
    assert torch.equal(y, F.linear(x, made.weight, made.bias))
    y.square().sum().backward()
    assert x.grad is not None and made.weight.grad is not None


@torch.no_grad()
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_types_are_torchs(dtype: torch.dtype) -> None:
    made, x = Linear(24, 9), torch.randn(7, 24)
    with torch.autocast("cpu", torch.bfloat16):
        assert made(x).dtype == torch.bfloat16
    made, x = made.to(dtype), x.to(dtype)
    assert torch.equal(made(x), F.linear(x, made.weight, made.bias))


@torch.no_grad()
def test_small_products_are_torchs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by, "LEAST", 7 * 24 * 9)
    weight = torch.randn(9, 24)
    assert by.takes_onednn(torch.randn(7, 24), weight) and not by.takes_onednn(torch.randn(6, 24), weight)
