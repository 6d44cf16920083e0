"""DESIGN, invariants 1 to 3: what a pack computes is what each sequence and each dense model would compute alone."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.parameter_names import dense_name, is_active
from skill_plugin.variants.slots import Inventory

SHAPE = EncoderShape(2, 16, 2, 32, vocabulary=50, positions=40, token_types=2, dropout=0.0, attention_dropout=0.0)
INVENTORY = Inventory(
    ("generic", "sentence", "interact"), ("en", "zh"), gates=("nli", "topic"), embeddings=("nli", "topic")
)
NLI_EN = ActiveSet(("generic", "interact"), "en", "nli", "nli")
TOPIC_ZH = ActiveSet(("generic", "sentence"), "zh", "topic", "topic")
CLASSES = {"nli": 3, "topic": 5}


def sequence(seed: int, length: int) -> EncodedSequence:
    rng = np.random.default_rng(seed)
    return EncodedSequence(rng.integers(4, 50, length), np.sort(rng.integers(0, 2, length)))


def model(variant: str, seed: int = 0, skill_layers: int | None = None) -> MultitaskModel:
    torch.manual_seed(seed)
    encoder = build_encoder(variant, SHAPE, INVENTORY, skill_layers)
    for parameter in encoder.parameters():  # make biases and norms differ from 0 and 1 too
        nn.init.normal_(parameter, std=0.3)
    return MultitaskModel(encoder, {name: ClassificationHead(16, classes, 0.0) for name, classes in CLASSES.items()})


def gradients(module: nn.Module) -> dict[str, Tensor | None]:
    return {name: None if p.grad is None else p.grad.clone() for name, p in module.named_parameters()}


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.lists(st.integers(1, 30), min_size=1, max_size=5))
def test_a_pack_gives_outputs_and_gradients_of_each_sequence_alone(
    variant: str, first: list[int], second: list[int]
) -> None:
    members = [
        (NLI_EN, "nli", [sequence(i, n) for i, n in enumerate(first)]),
        (TOPIC_ZH, "topic", [sequence(100 + i, n) for i, n in enumerate(second)]),
    ]
    packed = model(variant)
    together = packed(pack(members, token_types=True)).answers
    sum(out.square().sum() for out in together).backward()
    alone = copy.deepcopy(model(variant))
    for (active, head, sequences), out in zip(members, together, strict=True):
        for row, one in enumerate(sequences):
            (logits,) = alone(pack([(active, head, [one])], token_types=True)).answers
            torch.testing.assert_close(out[row], logits[0], atol=1e-5, rtol=1e-4)
            logits.square().sum().backward()
    theirs = gradients(alone)
    for name, gradient in gradients(packed).items():
        if gradient is None:
            assert theirs[name] is None, name
        else:
            torch.testing.assert_close(gradient, theirs[name], atol=1e-3, rtol=1e-3, msg=name)


def one_pack(*active: ActiveSet) -> PackedBatch:
    return pack([(a, "nli", [sequence(i, 5 + i), sequence(i + 9, 3)]) for i, a in enumerate(active)], token_types=True)


def dense_copy(skilled: Encoder, feed_forward: str, language: str | None) -> Encoder:
    """A dense encoder with one skill's and one language's parameters of a skilled one."""
    encoder = build_encoder("dense", SHAPE, INVENTORY)
    state = skilled.state_dict()
    names = {}
    for name in encoder.state_dict():
        skill_name = name.replace(".feed_forward.fc", f".feed_forward.{feed_forward}.fc")
        if language is not None:
            skill_name = skill_name.replace(".attention.qkv", f".attention.languages.{language}.qkv")
        names[name] = state[skill_name if skill_name in state else name]
    encoder.load_state_dict(names)
    return encoder


@pytest.mark.parametrize(
    ("variant", "active", "feed_forward", "language"),
    [
        ("skillnet", ActiveSet(("sentence",), "en"), "task_skills.sentence", None),
        ("skillnet_x_ffn", ActiveSet((), "zh"), "language_skills.zh", None),
        ("skillnet_x_ffn_mha", ActiveSet(("sentence",), "zh"), "task_skills.sentence", "zh"),
    ],
)
def test_one_active_skill_is_the_dense_model(
    variant: str, active: ActiveSet, feed_forward: str, language: str | None
) -> None:
    skilled = model(variant).encoder
    batch = one_pack(active)
    torch.testing.assert_close(skilled(batch).hidden, dense_copy(skilled, feed_forward, language)(batch).hidden)


@pytest.mark.parametrize("variant", ["skillnet", "skillnet_x_ffn", "skillnet_x_ffn_mha"])
def test_equal_skills_are_the_dense_model(variant: str) -> None:
    dense = model("dense").encoder
    skilled = build_encoder(variant, SHAPE, INVENTORY)
    state = dense.state_dict()
    skilled.load_state_dict({name: state[dense_name(name)] for name in skilled.state_dict()})
    batch = one_pack(NLI_EN, TOPIC_ZH)
    torch.testing.assert_close(skilled(batch).hidden, dense(batch).hidden, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("variant", ["skillnet", "skillnet_x_ffn"])
def test_active_skills_are_the_mean_of_dense_feed_forwards(variant: str) -> None:
    layer = model(variant).encoder.layers[0].feed_forward
    batch = one_pack(NLI_EN, TOPIC_ZH)
    x = torch.randn(len(batch.tokens), 16)
    expected = torch.zeros_like(x)
    for segment in batch.segments:
        rows = slice(segment.start, segment.end)
        networks = [layer.task_skills[name] for name in segment.active.skills]
        if variant == "skillnet_x_ffn":
            networks.append(layer.language_skills[segment.active.language])
        for network in networks:
            inner = torch.nn.functional.gelu(x[rows] @ network.fc1.weight.T + network.fc1.bias)
            expected[rows] += (inner @ network.fc2.weight.T + network.fc2.bias) / len(networks)
    torch.testing.assert_close(layer(x, batch), expected)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_not_active_by_its_name_gets_no_gradient(variant: str) -> None:
    skilled = model(variant)
    sum(out.sum() for out in skilled(one_pack(NLI_EN)).answers).backward()
    for name, parameter in skilled.named_parameters():
        if ".experts." not in name:  # some of which may have got no token
            assert (parameter.grad is not None) == is_active(name, NLI_EN, "nli"), name
    assert not is_active("heads.topic.out_proj.weight", NLI_EN, "nli")


@pytest.mark.parametrize("where", ["dropout", "attention_dropout"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_training_drops_evaluation_keeps(variant: str, where: str) -> None:
    plain, dropping = model(variant).encoder, build_encoder(variant, replace(SHAPE, **{where: 0.4}), INVENTORY)
    dropping.load_state_dict(plain.state_dict())
    batch = one_pack(NLI_EN, TOPIC_ZH)
    expected = plain.eval()(batch).hidden
    assert torch.equal(dropping.eval()(batch).hidden, expected)
    assert not torch.allclose(dropping.train()(batch).hidden, expected, atol=1e-2)


def test_only_the_top_layers_carry_skills() -> None:
    names = model("skillnet_x_ffn_mha", skill_layers=1).state_dict()
    assert any("layers.1.feed_forward.task_skills" in name for name in names)
    assert not any("layers.0.feed_forward.task_skills" in name for name in names)


def test_a_segment_without_an_active_skill_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one skill"):
        model("skillnet")(one_pack(ActiveSet((), "en")))
