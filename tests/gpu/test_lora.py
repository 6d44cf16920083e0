"""Adapters on a GPU: experts by grouped products as one after the other, and nothing waits for the device."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.adapters.adapt import AdaptedParts, adapt
from skill_plugin.nn.adapters.lora import LoraLinear
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.grouped.available import has_grouped_product
from skill_plugin.nn.linear import Linear
from skill_plugin.nn.packed_batch import PackedBatch, Segment

EMPTY = torch.zeros(0, dtype=torch.int64, device="cuda")


def pack(tokens: int) -> PackedBatch:
    segment = Segment(ActiveSet((), "en"), "head", 0, tokens)
    return PackedBatch(EMPTY, EMPTY, None, [tokens], [segment], [EMPTY])


def adapted_layer(rank: int = 8, dropout: float = 0.0) -> ExpertFeedForward:
    torch.manual_seed(0)
    layer = ExpertFeedForward(128, 256, 4, 1, "probability").cuda()
    adapt(layer, {"fc1": AdaptedParts(), "fc2": AdaptedParts()}, rank, float(rank), dropout)
    for name, parameter in layer.named_parameters():
        parameter.requires_grad_(".lora_" in name)
        if name.endswith("lora_b"):
            nn.init.normal_(parameter, std=0.1)
    return layer


@pytest.mark.parametrize("rank", [5, 8])
def test_experts_under_autocast(rank: int) -> None:
    layer = adapted_layer(rank)
    exact = copy.deepcopy(layer)
    x = torch.randn(300, 128, device="cuda", requires_grad=True)
    z = x.detach().clone().requires_grad_()
    with torch.autocast("cuda", torch.bfloat16):
        out = layer(x, pack(300)).hidden
    expected = exact(z, pack(300)).hidden
    torch.testing.assert_close(out.float(), expected, atol=2e-2, rtol=2e-2)
    out.float().square().sum().backward()
    expected.square().sum().backward()
    assert x.grad is not None and z.grad is not None
    assert float((x.grad - z.grad).norm() / z.grad.norm()) < 0.03
    for name, parameter in layer.named_parameters():
        reference = exact.get_parameter(name).grad
        assert (parameter.grad is None) == (reference is None), name
        if parameter.grad is not None and reference is not None:
            assert float((parameter.grad - reference).norm() / reference.norm()) < 0.05, name


def test_nothing_waits_for_the_device() -> None:
    layer = adapted_layer(dropout=0.1).bfloat16()
    qkv = LoraLinear(Linear(128, 384).cuda().bfloat16(), 8, 8.0, 0.1, (0, 2), 3)
    x = torch.randn(64, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    batch, grouped = pack(64), has_grouped_product(layer.experts["0"], x)
    torch.cuda.set_sync_debug_mode("error")
    try:
        qkv(x).sum().backward()
        if grouped:
            layer(x, batch).hidden.sum().backward()
    finally:
        torch.cuda.set_sync_debug_mode("default")
