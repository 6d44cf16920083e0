"""Conditional attention on a GPU against the CPU; run on a machine with a GPU: ``pytest tests/gpu``."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory

CUDA = torch.device("cuda")
SHAPE = EncoderShape(4, 192, 6, 384, vocabulary=50, positions=80, dropout=0.0, attention_dropout=0.0)


@pytest.mark.parametrize("form", ["base", "large"])
@pytest.mark.parametrize("corpora", [("a",), ("a", "b", "a")])
@pytest.mark.parametrize("mode", ["float32", "bf16", "fp16"])
def test_values_and_gradients(form: str, corpora: tuple[str, ...], mode: str) -> None:
    """Sequences shorter and longer than L, alone and with another corpus."""
    torch.manual_seed(0)
    options = ConditionalOptions(length=37, form=form)
    exact = build_encoder("ca_mtl", SHAPE, Inventory((), (), embeddings=("a", "b"), conditional=options))
    for name, parameter in exact.named_parameters():
        if "modulation.up" in name or "matrix.blocks" in name:
            torch.nn.init.normal_(parameter, std=0.05)
    ours = copy.deepcopy(exact).to(CUDA, torch.float16 if mode == "fp16" else torch.float32)
    rng = np.random.default_rng(0)
    batch = pack(
        [
            (
                ActiveSet((), "en", embedding=name),
                "h",
                [EncodedSequence(rng.integers(0, 50, n), np.zeros(n, np.int64)) for n in (5, 37, 64)],
            )
            for name in corpora
        ],
        token_types=False,
    )
    expected = exact(batch).hidden
    with torch.autocast("cuda", torch.bfloat16, enabled=mode == "bf16"):
        found = ours(batch.to(CUDA)).hidden
    tolerance = 2e-4 if mode == "float32" else 0.1
    torch.testing.assert_close(found.detach().float().cpu(), expected.detach(), atol=tolerance, rtol=tolerance)
    weight = torch.randn_like(expected)
    (expected * weight).sum().backward()
    (found.float() * weight.to(CUDA)).sum().backward()
    theirs = dict(exact.named_parameters())
    for name, parameter in ours.named_parameters():
        if parameter.grad is None:
            assert theirs[name].grad is None, name
            continue
        ours_, reference = parameter.grad.float().cpu(), theirs[name].grad
        assert reference is not None
        error = float((ours_ - reference).norm() / (reference.norm() + 1e-6))
        assert error < (1e-3 if mode == "float32" else 0.15), (name, error)
