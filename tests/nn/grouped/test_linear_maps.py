"""Experts with adapters by grouped matrix products against one expert after the other, in float32."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from skill_plugin.nn.adapters.adapt import AdaptedParts, adapt
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
@pytest.mark.parametrize(("targets", "rank"), [(("fc1", "fc2"), 8), (("fc1",), 5), (("fc2",), 16)])
@pytest.mark.parametrize("choices", [[[0], [3], [3], [1], [3], [0], [1], [1], [1]], [[0, 2], [1, 3], [3, 0]] * 40])
def test_values_and_gradients(
    choices: list[list[int]], targets: tuple[str, ...], rank: int, weights: torch.dtype, device: str
) -> None:
    torch.manual_seed(0)
    experts = nn.ModuleList(FeedForward(16, 24) for _ in range(4))
    adapt(experts, {name: AdaptedParts() for name in targets}, rank, alpha=float(rank), dropout=0.0)
    for name, parameter in experts.named_parameters():
        parameter.requires_grad_(".lora_" in name)
        if name.endswith("lora_b"):
            nn.init.normal_(parameter, std=0.3)
    experts.to(device, weights)
    exact = copy.deepcopy(experts).float()
    chosen = torch.tensor(choices, device=device)
    x = torch.randn(len(choices), 16, device=device, dtype=torch.bfloat16, requires_grad=True)
    z = x.detach().float().requires_grad_()
    factors = torch.rand(chosen.shape, device=device).requires_grad_()
    same_factors = factors.detach().requires_grad_()
    out = grouped_feed_forwards(list(experts), x, factors, Dispatch(chosen, 4))
    expected = run_experts(list(exact), z, Routing(torch.zeros(len(choices), 4), chosen, same_factors))
    assert_alike(out, expected, ((x, z), (factors, same_factors)), value=4e-2, grad=6e-2)
    for name, parameter in experts.named_parameters():
        reference_grad = exact.get_parameter(name).grad
        if ".lora_" not in name:
            assert parameter.grad is None
        elif reference_grad is None:
            assert parameter.grad is None or not parameter.grad.any()
        else:
            assert parameter.grad is not None
            error = (parameter.grad.float() - reference_grad).norm() / reference_grad.norm()
            assert float(error) < 0.03, name
