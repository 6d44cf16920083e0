"""What comes out of grouped products in bfloat16, and its gradients, against the same computed in float32."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor


def assert_alike(
    out: Tensor, expected: Tensor, inputs: Iterable[tuple[Tensor, Tensor]], value: float, grad: float
) -> None:
    """Runs both backward passes in one random direction.

    Args:
        out, expected: in bfloat16 and float32.
        inputs: of each, what gradients are compared of.
        value, grad: absolute tolerances of outputs and of gradients.
    """
    assert out.dtype == torch.bfloat16
    torch.testing.assert_close(out.float(), expected, atol=value, rtol=2e-2)
    direction = torch.randn_like(expected)
    out.backward(direction.to(torch.bfloat16))
    expected.backward(direction)
    for mine, reference in inputs:
        assert mine.grad is not None
        assert reference.grad is not None
        torch.testing.assert_close(mine.grad.float(), reference.grad, atol=grad, rtol=4e-2)
