"""The variable-length kernel against padded views in float32; run on a machine with a GPU: ``pytest tests/gpu``."""

from __future__ import annotations

import pytest
import torch

from skill_plugin.nn.attention_kernels import has_variable_length_kernel
from skill_plugin.nn.sequence_layout import SequenceLayout

CUDA = torch.device("cuda")


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("lengths", [[1], [7, 128, 33, 5], [64] * 8])
def test_values_and_gradients(dtype: torch.dtype, lengths: list[int]) -> None:
    torch.manual_seed(0)
    half = torch.randn(sum(lengths), 3 * 384, device=CUDA, dtype=dtype, requires_grad=True)
    exact = half.detach().float().requires_grad_()
    assert has_variable_length_kernel(half, 12) and not has_variable_length_kernel(exact, 12)
    layout = SequenceLayout(lengths, CUDA)
    ours, expected = layout.attend(half, 12, 0.0), layout.attend(exact, 12, 0.0)
    torch.testing.assert_close(ours.float(), expected, atol=2e-2, rtol=2e-2)
    weight = torch.randn_like(expected)
    (gradient,) = torch.autograd.grad(ours, half, weight.to(dtype))
    (reference,) = torch.autograd.grad(expected, exact, weight)
    torch.testing.assert_close(gradient.float(), reference, atol=4e-2, rtol=4e-2)


def test_dropout_keeps_the_expectation() -> None:
    torch.manual_seed(0)
    qkv = torch.randn(70, 96, device=CUDA, dtype=torch.bfloat16)
    layout = SequenceLayout([30, 40], CUDA)
    draws = torch.stack([layout.attend(qkv, 2, 0.2).float() for _ in range(2000)])
    error = (draws.mean(0) - layout.attend(qkv, 2, 0.0).float()).abs()
    assert float((error / (draws.std(0) / len(draws) ** 0.5 + 2e-3)).max()) < 6
