"""A pack and its noisy copy compute, in one pass, what two passes would."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skill_plugin.nn.adapters.adapt import AdaptedParts, adapt
from skill_plugin.nn.dropout import Dropout
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.noise import Noise
from skill_plugin.nn.noisy_copy import with_noisy_copy
from skill_plugin.nn.packed_batch import PackedBatch, pack
from skill_plugin.nn.pass_options import PassOptions
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import VARIANTS
from tests.nn.test_packing import CLASSES, INVENTORY, NLI_EN, SHAPE, TOPIC_ZH, gradients, model, sequence

LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=4)


def batch(first: list[int], second: list[int]) -> PackedBatch:
    members = [
        (NLI_EN, "nli", [sequence(i, n) for i, n in enumerate(first)]),
        (TOPIC_ZH, "topic", [sequence(100 + i, n) for i, n in enumerate(second)]),
    ]
    return pack(members, token_types=True)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=6, deadline=None)
@given(LENGTHS, LENGTHS)
def test_outputs_and_gradients_of_two_passes(variant: str, first: list[int], second: list[int]) -> None:
    plain = batch(first, second)
    noise = 0.01 * torch.randn(len(plain.tokens), 16, generator=torch.Generator().manual_seed(len(first)))
    ours, theirs = model(variant), copy.deepcopy(model(variant))
    passes = [theirs(plain), theirs(plain, PassOptions(Noise(noise, 0.01)))]
    together = ours(*with_noisy_copy(plain, noise, 0.01)).answers
    twice = [out for one in passes for out in one.answers]
    assume(all(torch.equal(a.experts, b.experts) for a, b in zip(*(one.routings for one in passes), strict=True)))
    assert len(together) == len(twice) == 4
    for one, other in zip(together, twice, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
    for outputs in (together, twice):
        sum((i + 1) * out.square().sum() for i, out in enumerate(outputs)).backward()
    expected = gradients(theirs)
    for name, gradient in gradients(ours).items():
        assert (gradient is None) == (expected[name] is None), name
        if gradient is not None:
            torch.testing.assert_close(gradient, expected[name], atol=2e-3, rtol=1e-3, msg=name)


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_are_dropped_the_same_elements(variant: str) -> None:
    """Without noise they are the same to the last rounding, though every dropout is on; with new draws they are not."""
    torch.manual_seed(0)
    shape = replace(SHAPE, dropout=0.3, attention_dropout=0.3)
    made = MultitaskModel(build_encoder(variant, shape, INVENTORY), dict(model(variant).heads.items())).train()
    for module in made.modules():
        if isinstance(module, Dropout):
            module.probability = 0.3
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    doubled = with_noisy_copy(batch([5, 30, 7], [12, 3]), torch.zeros(57, 16), 1.0)
    runs = []
    for _ in range(2):
        nli, topic, nli_copy, topic_copy = made(*doubled).answers
        runs.append(nli)
        torch.testing.assert_close(nli, nli_copy, atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(topic, topic_copy, atol=1e-6, rtol=1e-5)
    assert (runs[0] - runs[1]).abs().max() > 1e-2
    nli, topic, nli_copy, topic_copy = made(
        *with_noisy_copy(batch([5, 30, 7], [12, 3]), torch.zeros(57, 16), 1.0, False)
    ).answers
    assert (nli - nli_copy).abs().max() > 1e-2 and (topic - topic_copy).abs().max() > 1e-2


@pytest.mark.parametrize("of", ["attention", "layer", "embeddings", "head", "adapter"])
def test_independent_masks_are_independent_everywhere(of: str) -> None:
    """Whichever single dropout is on."""
    torch.manual_seed(0)
    made = MultitaskModel(
        build_encoder("dense", replace(SHAPE, attention_dropout=0.3 * (of == "attention")), INVENTORY),
        {"nli": ClassificationHead(16, 3, 0.3 * (of == "head")), "topic": ClassificationHead(16, 5, 0.0)},
    )
    adapt(made.encoder, {"fc1": AdaptedParts()}, rank=4, alpha=4.0, dropout=0.3 * (of == "adapter"))
    made.encoder.embeddings.dropout.probability = 0.3 * (of == "embeddings")
    for layer in made.encoder.layers:
        layer.dropout.probability = 0.3 * (of == "layer")
    for parameter in made.train().parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    for same in (True, False):
        answers = made(*with_noisy_copy(batch([5, 30, 7], [12, 3]), torch.zeros(57, 16), 1.0, same)).answers
        assert torch.allclose(answers[0], answers[2], atol=1e-5) == same


@pytest.mark.parametrize("variant", ["mt_switch", "mt_tag", "moe_top2"])
def test_the_copy_goes_to_the_same_experts(variant: str) -> None:
    plain = batch([20, 9], [12])
    doubled = with_noisy_copy(plain, torch.randn(41, 16), 1.0)
    made = model(variant)
    for module in made.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.reset_parameters()
    routings = made(*doubled).routings
    assert len(routings) == 2
    for routing in routings:
        clean, noisy = routing.experts.chunk(2)
        assert torch.equal(clean, noisy)
        assert not torch.equal(*routing.logits.argmax(-1).chunk(2))  # it would have gone elsewhere
        assert not torch.equal(*routing.weights.chunk(2))


def test_copies_of_one_corpus_are_one_run_of_its_modules() -> None:
    """Neither its networks nor its head run twice."""
    made, calls = model("skillnet_x_ffn_mha"), []
    for name, module in made.named_modules():
        if name.endswith(("fc1", "qkv", "out_proj")):
            module.register_forward_hook(lambda *_, name=name: calls.append(name))
    plain = pack([(NLI_EN, "nli", [sequence(0, 4), sequence(1, 9)])], token_types=True)
    made(*with_noisy_copy(plain, torch.zeros(13, 16), 1.0))
    assert len(calls) == len(set(calls)) == 2 * 3 + 1


def test_heads_may_have_nothing_to_read() -> None:
    """A text too short to hide a piece of."""
    plain = pack([(NLI_EN, "nli", [replace(sequence(0, 4), units=sequence(0, 4).units[:0])])], token_types=True)
    outputs = model("dense")(*with_noisy_copy(plain, torch.zeros(4, 16), 1.0)).answers
    assert [out.shape for out in outputs] == [(0, CLASSES["nli"])] * 2


def test_it_moves_to_a_device_with_its_noise() -> None:
    device = torch.device("meta")
    doubled, options = with_noisy_copy(batch([5], [3]), torch.ones(8, 16), 0.5)
    moved = doubled.to(device)
    assert moved.tokens.device.type == "meta" and moved.copies == 2
    assert options.noise is not None
    assert options.noise.to(device).values.device.type == "meta"
