"""mT5 on a GPU: the numbers of the CPU, in bfloat16 nearly, and nothing of an update waits for the device."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from skill_plugin.nn.noisy_copy import with_noisy_copy
from skill_plugin.nn.pack_once import pack_once
from skill_plugin.nn.packed_batch import PackedBatch, pack
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel
from skill_plugin.optim.active_adafactor import ActiveAdafactor
from skill_plugin.variants.mt5 import build_mt5
from skill_plugin.variants.t5_shape import T5Shape
from tests.nn.t5.test_text_to_text_model import ONE, OTHER, V, to_choose, to_learn

CUDA = torch.device("cuda")


def wide(tied: bool = False, dropout: float = 0.0) -> TextToTextModel:
    """As wide as GPU kernels like it."""
    torch.manual_seed(1)
    shape = T5Shape(2, 3, 64, 3, 32, 96, vocabulary=V, tied=tied, dropout=dropout, attention_dropout=dropout)
    return build_mt5(shape).eval()


def to_train() -> PackedBatch:
    first = [to_learn(number, (5 + 9 * number, 1 + number % 3)) for number in range(6)]
    second = [to_learn(10 + number, (40 - number, 2)) for number in range(4)]
    return pack([(ONE, "nli", first), (OTHER, "qa", second)], token_types=False)


def losses(model: TextToTextModel, batch: PackedBatch) -> torch.Tensor:
    targets = batch.targets
    assert targets is not None
    sizes = [sum(targets.lengths[:6]), sum(targets.lengths[6:])]
    answers = model(batch, classes=targets.tokens.split(sizes)).answers
    return torch.cat([one.losses for one in answers])


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("half", [False, True], ids=["float32", "bf16"])
def test_losses_and_gradients_are_those_of_the_cpu(tied: bool, half: bool) -> None:
    expected, found = wide(tied), wide(tied).to(CUDA)
    batch = to_train()
    loss = losses(expected, batch)
    loss.sum().backward()
    with torch.autocast("cuda", torch.bfloat16, enabled=half):
        ours = losses(found, batch.to(CUDA))
    ours.sum().backward()
    torch.testing.assert_close(ours.cpu(), loss, rtol=3e-2 if half else 1e-4, atol=3e-2 if half else 1e-4)
    for (name, p), q in zip(found.named_parameters(), expected.parameters(), strict=True):
        assert p.grad is not None and q.grad is not None
        assert float((p.grad.cpu() - q.grad).norm() / q.grad.norm()) < (0.1 if half else 1e-3), name


def test_answers_that_are_chosen_and_written_are_those_of_the_cpu() -> None:
    expected, found = wide(), wide().to(CUDA)
    choices = [to_choose(number, 4 + 7 * number, (1, 3, 2)) for number in range(5)]
    for batch in (
        pack([(ONE, "nli", choices)], False),
        pack_once([(ONE, "a", choices), (ONE, "b", choices[:2])], False),
    ):
        with torch.no_grad():
            scores, ours = expected(batch).answers, found(batch.to(CUDA)).answers
        for one, other in zip(ours, scores, strict=True):
            torch.testing.assert_close(one.cpu(), other, rtol=1e-4, atol=1e-4)
        written, by_gpu = expected.generate(batch, 6), found.generate(batch.to(CUDA), 6)
        assert [one.tolist() for one in by_gpu] == [one.tolist() for one in written]


def test_nothing_of_an_update_waits_for_the_device() -> None:
    model = wide(dropout=0.1).to(CUDA).train()
    optimizer = ActiveAdafactor(model.parameters(), lr=1e-3)
    batch = to_train().to(CUDA)
    values = torch.zeros(len(batch.tokens), 64, device=CUDA)

    def update() -> None:
        doubled, options = with_noisy_copy(batch, values, 1e-5)
        with torch.autocast("cuda", torch.bfloat16):
            loss = losses(model, batch).mean() + sum(one.float().mean() for one in model(doubled, options).answers)
        loss.backward()
        optimizer.step(found_inf=torch.zeros((), device=CUDA))
        optimizer.zero_grad()

    update()
    torch.cuda.set_sync_debug_mode("error")
    try:
        update()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_adafactor_updates_as_on_the_cpu() -> None:
    expected = wide()
    found = copy.deepcopy(expected).to(CUDA)
    optimizers = [ActiveAdafactor(one.parameters(), lr=1e-2) for one in (expected, found)]
    for step in range(3):
        for one in (expected, found):
            for number, p in enumerate(one.parameters()):
                random = torch.Generator().manual_seed(100 * step + number)
                p.grad = torch.randn(p.shape, generator=random).to(p.device)
        for optimizer in optimizers:
            optimizer.step(
                found_inf=None if step else torch.zeros((), device=optimizer.param_groups[0]["params"][0].device)
            )
    for p, q in zip(found.parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(p.cpu(), q, rtol=1e-4, atol=1e-5)
    assert isinstance(found.encoder.embeddings.tokens, nn.Embedding)
