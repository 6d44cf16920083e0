"""An expert that got no token, and another corpus's gate, stay bit-identical though they have moments to move on."""

from __future__ import annotations

import pytest
import torch

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.packed_batch import PackedBatch, Segment
from skill_plugin.optim.skill_adam import SkillAdam, SkillAdamConfig

EMPTY = torch.zeros(0, dtype=torch.int64)


def update(layer: ExpertFeedForward, optimizer: SkillAdam, x: torch.Tensor, gate: str, zeros: bool) -> None:
    optimizer.zero_grad()
    segment = Segment(ActiveSet((), "en", gate), "head", 0, len(x))
    layer(x, PackedBatch(EMPTY, EMPTY, None, [len(x)], [segment], [EMPTY])).hidden.square().sum().backward()
    if zeros:  # as legacy_ddp and the grouped matrix product leave them
        for parameter in layer.parameters():
            parameter.grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
    optimizer.clip_grad_norm(1.0)
    optimizer.step()


@pytest.mark.parametrize("zeros", [False, True])
def test_what_took_no_part_stays(zeros: bool) -> None:
    torch.manual_seed(0)
    layer = ExpertFeedForward(8, 16, 4, 1, "probability", ("a", "b"))
    optimizer = SkillAdam(SkillAdamConfig(lr=[1e-2], weight_decay=0.1), list(layer.parameters()))
    with torch.no_grad():
        for gate in layer.gates.values():
            gate.weight.copy_(torch.eye(8)[:4] * 9)  # a token goes where its largest column of the first four is
    for gate in ("a", "b"):
        update(layer, optimizer, torch.eye(8)[:4] + 0.1 * torch.rand(4, 8), gate, zeros)
    before = {name: parameter.detach().clone() for name, parameter in layer.named_parameters()}
    update(layer, optimizer, torch.eye(8)[[2, 2, 0]] + 0.1 * torch.rand(3, 8), "b", zeros)
    changed = {name for name, parameter in layer.named_parameters() if not torch.equal(parameter, before[name])}
    assert changed == {name for name in before if name.startswith(("gates.b.", "experts.0.", "experts.2."))}
