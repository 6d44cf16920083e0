"""An expert that got no token, and another corpus's gate, stay bit-identical though they have moments to move on."""

from __future__ import annotations

import pytest
import torch

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.bank import chosen_by_tokens
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
@pytest.mark.parametrize("told", [False, True], ids=["searched for", "told which may rest"])
def test_what_took_no_part_stays(zeros: bool, told: bool) -> None:
    torch.manual_seed(0)
    layer = ExpertFeedForward(8, 16, 4, 1, "probability", ("a", "b"))
    optimizer = SkillAdam(SkillAdamConfig(lr=[1e-2], weight_decay=0.1), list(layer.parameters()))
    if told:
        optimizer.zeros_are_none = False
        optimizer.may_rest = [*chosen_by_tokens(layer), *([gate.weight] for gate in layer.gates.values())]
    with torch.no_grad():
        for gate in layer.gates.values():
            gate.weight.copy_(torch.eye(8)[:4] * 9)  # a token goes where its largest column of the first four is
    for gate in ("a", "b"):
        update(layer, optimizer, torch.eye(8)[:4] + 0.1 * torch.rand(4, 8), gate, zeros)
    before = {name: parameter.detach().clone() for name, parameter in layer.named_parameters()}
    taken = {name: int(optimizer._optimizer.state[parameter]["step"]) for name, parameter in layer.named_parameters()}
    update(layer, optimizer, torch.eye(8)[[2, 2, 0]] + 0.1 * torch.rand(3, 8), "b", zeros)
    changed = {name for name, parameter in layer.named_parameters() if not torch.equal(parameter, before[name])}
    assert changed == {name for name in before if name.startswith(("gates.b.", "experts.0.", "experts.2."))}
    steps = {name: int(optimizer._optimizer.state[parameter]["step"]) for name, parameter in layer.named_parameters()}
    assert steps == {name: number + (name in changed) for name, number in taken.items()}


def test_what_is_told_gives_the_bits_that_the_search_gives() -> None:
    layers = []
    for told in (False, True):
        torch.manual_seed(0)
        layer = ExpertFeedForward(8, 16, 6, 1, "probability")
        optimizer = SkillAdam(SkillAdamConfig(lr=[1e-2], weight_decay=0.1), list(layer.parameters()))
        optimizer.zeros_are_none = not told
        optimizer.may_rest = chosen_by_tokens(layer)
        for _ in range(6):
            update(layer, optimizer, torch.randn(3, 8), "", zeros=True)
        layers.append(layer)
        states = [optimizer._optimizer.state.get(expert.fc1.weight) for expert in layer.experts.values()]
        assert min(int(state["step"]) if state else 0 for state in states) < 6
    assert all(map(torch.equal, layers[0].parameters(), layers[1].parameters()))
