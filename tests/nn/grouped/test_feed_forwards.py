"""The grouped matrix product against one expert after the other; torch computes it on the CPU as well, slowly."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.experts.run_experts import run_experts
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.grouped.dispatch import Dispatch
from skill_plugin.nn.grouped.feed_forwards import grouped_feed_forwards
from tests.nn.grouped.alike import assert_alike

pytestmark = pytest.mark.skipif(not hasattr(torch, "_grouped_mm"), reason="torch has no grouped matrix product")
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("weights", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize(
    "choices",
    [[[0], [3], [3], [1], [3], [0], [1], [1], [1]], [[2]] * 17, [[3], [0]], [[0, 2], [1, 3], [3, 0]] * 40],
)
def test_values_and_gradients(choices: list[list[int]], weights: torch.dtype, device: str) -> None:
    torch.manual_seed(0)
    experts = [FeedForward(16, 24).to(device, weights) for _ in range(4)]
    exact = [copy.deepcopy(expert).float() for expert in experts]
    chosen = torch.tensor(choices, device=device)
    x = torch.randn(len(choices), 16, device=device, dtype=torch.bfloat16, requires_grad=True)
    z = x.detach().float().requires_grad_()
    factors = torch.rand(chosen.shape, device=device).requires_grad_()
    same_factors = factors.detach().requires_grad_()
    out = grouped_feed_forwards(experts, x, factors, Dispatch(chosen, 4))
    expected = run_experts(exact, z, Routing(torch.zeros(len(choices), 4), chosen, same_factors))
    assert_alike(out, expected, ((x, z), (factors, same_factors)), value=2e-2, grad=4e-2)
    for number, (ours, theirs) in enumerate(zip(experts, exact, strict=True)):
        for mine, reference in zip(ours.parameters(), theirs.parameters(), strict=True):
            assert mine.grad is not None
            assert mine.grad.dtype == weights
            if not (chosen == number).any():
                assert not mine.grad.any()
                assert reference.grad is None
            else:
                torch.testing.assert_close(mine.grad.float(), reference.grad, atol=8e-2, rtol=4e-2)


def test_parameters_that_need_no_gradient_get_none() -> None:
    experts: list[FeedForward] = [FeedForward(16, 24) for _ in range(2)]
    nn.Module.requires_grad_(experts[0], False)
    dispatch = Dispatch(torch.tensor([[0], [1], [1]]), 2)
    grouped_feed_forwards(
        experts, torch.randn(3, 16, dtype=torch.bfloat16), torch.ones(3, 1), dispatch
    ).float().sum().backward()
    assert all(parameter.grad is None for parameter in experts[0].parameters())
    assert all(parameter.grad is not None for parameter in experts[1].parameters())
