"""Layers run on padded packs with weights in slots, as CUDA graphs run them, against the encoder itself.

On a CPU the same computation runs step by step; what is recorded is the business of tests/gpu.
"""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.graphs.encoder_graphs import EncoderGraphs
from skill_plugin.nn.grouped import available
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory

SHAPE = EncoderShape(2, 16, 2, 32, vocabulary=50, positions=200, token_types=2, dropout=0.0, attention_dropout=0.0)
SKILLS = ("generic", "sentence", "interact", "token", "span")
CORPORA = ("nli", "topic", "ner", "qa", "spam", "mood")
INVENTORY = Inventory(SKILLS, ("en", "zh", "de"), gates=CORPORA, embeddings=CORPORA)
ACTIVE = [
    ActiveSet(tuple(random.Random(i).sample(SKILLS, 1 + i % 4)), INVENTORY.languages[i % 3], name, name)
    for i, name in enumerate(CORPORA)
]


@pytest.fixture(autouse=True)
def grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grouped products are for GPUs, but torch computes them on a CPU too."""
    monkeypatch.setattr(available, "has_grouped_product", lambda module, x: True)


def encoder(variant: str) -> Encoder:
    torch.manual_seed(0)
    made = build_encoder(variant, SHAPE, INVENTORY)
    for parameter in made.parameters():
        nn.init.normal_(parameter, std=0.3)
    return made.train()


def batch(seed: int, segments: int, longest: int = 40) -> PackedBatch:
    rng = np.random.default_rng(seed)
    members = []
    for _ in range(segments):
        lengths = rng.integers(1, longest + 1, rng.integers(1, 5))
        sequences = [EncodedSequence(rng.integers(4, 50, n), np.sort(rng.integers(0, 2, n))) for n in lengths.tolist()]
        members.append((ACTIVE[int(rng.integers(len(ACTIVE)))], "head", sequences))
    return pack(members, token_types=True)


def losses(hidden: Tensor, seed: int) -> Tensor:
    direction = torch.randn(hidden.shape, generator=torch.Generator().manual_seed(seed))
    return (hidden * direction.to(hidden)).sum()


@pytest.mark.parametrize("variant", VARIANTS)
def test_outputs_and_gradients_are_those_of_the_encoder(variant: str) -> None:
    """Batches of other sizes, skills, languages, gates and embeddings go through the same slots in turn."""
    plain = encoder(variant)
    graphs = EncoderGraphs(copy.deepcopy(plain))
    for seed, segments in enumerate([1, 3, 2, 5, 1, 5, 4, 9]):
        packed = batch(seed, segments)
        outputs = []
        for run, own in ((plain, plain), (graphs.run, graphs.encoder)):
            own.zero_grad()
            out = run(packed)
            losses(out.hidden, seed).backward()
            outputs.append((out, {name: p.grad for name, p in own.named_parameters()}))
        (expected, theirs), (found, ours) = outputs
        torch.testing.assert_close(found.hidden, expected.hidden, atol=1e-5, rtol=1e-5)
        for mine, other in zip(found.routings, expected.routings, strict=True):
            assert torch.equal(mine.experts, other.experts)
            torch.testing.assert_close(mine.logits, other.logits)
        for name, gradient in theirs.items():
            if gradient is None:
                assert ours[name] is None or not ours[name].any(), name
            else:
                torch.testing.assert_close(ours[name], gradient, atol=1e-3, rtol=1e-3, msg=name)
