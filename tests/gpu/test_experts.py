"""Layers of experts on a GPU, in bfloat16 and under autocast, against the same layer in float32."""

from __future__ import annotations

import copy

import pytest
import torch

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.grouped.available import has_grouped_product
from skill_plugin.nn.packed_batch import PackedBatch, Segment

EMPTY = torch.zeros(0, dtype=torch.int64, device="cuda")


def pack(*tokens: int) -> PackedBatch:
    segments, end = [], 0
    for number, size in enumerate(tokens):
        segments.append(Segment(ActiveSet((), "en", f"gate{number}"), "head", end, end + size))
        end += size
    return PackedBatch(EMPTY, EMPTY, None, [end], segments, [EMPTY] * len(segments))


@pytest.mark.parametrize("mode", ["autocast", "weights"])
@pytest.mark.parametrize(
    ("experts", "per_token", "scale"), [(4, 1, "probability"), (10, 2, "renormalised"), (64, 1, "rescaled")]
)
@pytest.mark.parametrize("tokens", [(1,), (37, 5, 90), (1000, 24, 1)])
def test_values_and_gradients(mode: str, experts: int, per_token: int, scale: str, tokens: tuple[int, ...]) -> None:
    """64 experts of few tokens leave many without any."""
    torch.manual_seed(0)
    gates = [f"gate{number}" for number in range(len(tokens))]
    half = ExpertFeedForward(128, 256, experts, per_token, scale, gates).cuda()
    for gate in half.gates.values():
        torch.nn.init.normal_(gate.weight)  # clear choices, the same in both precisions
    if mode == "weights":
        half.bfloat16()
    exact = copy.deepcopy(half).float()
    x = (
        torch.randn(sum(tokens), 128, device="cuda")
        .bfloat16()
        .to(torch.bfloat16 if mode == "weights" else torch.float32)
    )
    x, z = x.requires_grad_(), x.detach().float().requires_grad_()
    with torch.autocast("cuda", torch.bfloat16, enabled=mode == "autocast"):
        out, ours = half(x, pack(*tokens))
    expected, theirs = exact(z, pack(*tokens))
    assert torch.equal(ours.experts, theirs.experts)
    assert out.dtype == torch.bfloat16
    torch.testing.assert_close(out.float(), expected, atol=2e-2, rtol=2e-2)
    direction = torch.randn_like(expected)
    out.backward(direction.to(out.dtype))
    expected.backward(direction)
    torch.testing.assert_close(x.grad.float(), z.grad, atol=8e-2, rtol=5e-2)
    for name, parameter in half.named_parameters():
        reference = exact.get_parameter(name).grad
        if reference is None:
            assert parameter.grad is None or not parameter.grad.any(), name
        else:
            error = (parameter.grad.float() - reference).norm() / (reference.norm() + 1e-3)
            assert float(error) < 0.05, name


def test_hopper_has_the_grouped_product() -> None:
    layer = ExpertFeedForward(128, 256, 4, 1, "probability").cuda()
    rows = torch.randn(4, 128, device="cuda")
    hopper = torch.cuda.get_device_capability()[0] == 9 and hasattr(torch, "_grouped_mm")
    assert has_grouped_product(layer.experts["0"], rows.bfloat16()) == hopper
    assert not has_grouped_product(layer.experts["0"], rows)


def test_grouped_products_do_not_wait_for_the_device() -> None:
    layer = ExpertFeedForward(128, 256, 4, 1, "probability").cuda().bfloat16()
    x = torch.randn(64, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    if not has_grouped_product(layer.experts["0"], x):
        pytest.skip("no grouped matrix product here")
    torch.cuda.set_sync_debug_mode("error")
    try:
        layer(x, pack(64)).hidden.sum().backward()
    finally:
        torch.cuda.set_sync_debug_mode("default")
