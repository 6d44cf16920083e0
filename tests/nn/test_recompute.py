"""Layers that are computed once more give the same numbers, and keep less."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.noisy_copy import with_noisy_copy
from skill_plugin.nn.packed_batch import pack
from skill_plugin.nn.pass_options import PLAIN
from skill_plugin.variants.catalogue import VARIANTS
from tests.nn.test_packing import NLI_EN, TOPIC_ZH, model, sequence

BATCH = pack([(NLI_EN, "nli", [sequence(1, 9), sequence(2, 4)]), (TOPIC_ZH, "topic", [sequence(3, 7)])], True)


def dropping(variant: str) -> MultitaskModel:
    made = model(variant)
    for module in made.modules():
        for name in ("probability", "dropout"):
            if isinstance(getattr(module, name, None), float):
                setattr(module, name, 0.2)
    return made.train()


def run(
    made: MultitaskModel, recomputes: bool, copies: bool, autocast: bool
) -> tuple[list[Tensor], list[Tensor | None], int]:
    """Answers, gradients and bytes that were kept, all from one seed."""
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    made.zero_grad(set_to_none=True)
    made.encoder.recomputes = recomputes
    torch.manual_seed(7)
    batch, options = BATCH, PLAIN
    if copies:
        noise = torch.randn(len(BATCH.tokens), 16) * 0.01
        batch, options = with_noisy_copy(BATCH, noise, 0.01, same_dropout=True)
    hooks = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
    with hooks, torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        found = made(batch, options)
        total = torch.stack([answer.float().square().sum() for answer in found.answers]).sum()
        total = total + sum(routing.logits.float().sum() for routing in found.routings)
    parameters = {p.untyped_storage().data_ptr() for p in made.parameters()}
    total.backward()
    size = sum(bytes_ for place, bytes_ in kept.items() if place not in parameters)
    return [answer.detach() for answer in found.answers], [p.grad for p in made.parameters()], size


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_numbers_in_less_memory(variant: str, copies: bool, autocast: bool) -> None:
    made = dropping(variant)
    answers, gradients, kept = run(made, False, copies, autocast)
    again, theirs, less = run(made, True, copies, autocast)
    assert all(torch.equal(one, other) for one, other in zip(answers, again, strict=True))
    for one, other in zip(gradients, theirs, strict=True):
        assert (one is None) == (other is None)
        assert one is None or other is None or torch.equal(one, other)
    assert less < 0.6 * kept


def test_nothing_is_drawn_twice_for_who_comes_after() -> None:
    made, drawn = dropping("skillnet"), []
    for recomputes in (False, True):
        run(made, recomputes, copies=False, autocast=False)
        drawn.append(torch.rand(1))
    assert torch.equal(*drawn)
