"""Adapters beside every variant: what they start as, what trains, what is merged; and which options are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.errors import InputError
from skill_plugin.nn.adapters.lora import LoraLinear
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.noisy_copy import with_noisy_copy
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.report.description import describe_model
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.freezing import choose_freeze
from skill_plugin.variants.lora_options import TARGETS, LoraOptions
from skill_plugin.variants.parameter_names import group_of, is_active, is_base

FILE = """\
languages: [en, zh]
skills: {generic: always on, sentence: single texts, interact: pairs}
corpora:
  nli: {kind: classification, language: en, skills: [generic, interact], labels: [a, b, c], format: tsv,
        columns: {text_a: 0, label: 1}, header: false, train: t.tsv}
  topic: {kind: classification, language: zh, skills: [generic, sentence], labels: [a, b], format: tsv,
          columns: {text_a: 0, label: 1}, header: false, train: t.tsv}
"""
ALL = LoraOptions(rank=4, alpha=8.0, dropout=0.0, targets=TARGETS)
CHOICES = [ALL, replace(ALL, targets=("query", "value")), replace(ALL, targets=("output", "fc2"))]


def bundle(variant: str, lora: LoraOptions) -> Bundle:
    shape = EncoderShape(2, 16, 2, 32, vocabulary=50, positions=40, token_types=2, dropout=0.0, attention_dropout=0.0)
    labels = {"nli": ("a", "b", "c"), "topic": ("a", "b")}
    return Bundle(variant, shape, FILE, "corpora.yaml", labels, {name: {} for name in labels}, 40, {}, lora=lora)


def made(variant: str, lora: LoraOptions, seed: int = 0) -> MultitaskModel:
    """Every parameter away from its start, except that B of adapters stays 0."""
    torch.manual_seed(seed)
    model = build_model(bundle(variant, lora), head_dropout=0.0)
    torch.manual_seed(seed)
    for name, parameter in sorted(model.named_parameters()):
        if group_of(name) != "adapters":
            nn.init.normal_(parameter, std=0.3)
    return model


def moved(variant: str, lora: LoraOptions = ALL) -> MultitaskModel:
    """With adapters that have learnt something."""
    model = made(variant, lora)
    for name, parameter in model.named_parameters():
        if name.endswith("lora_b"):
            nn.init.normal_(parameter, std=0.3)
    return model


def batch(variant: str, *corpora: str, rows: int = 3) -> PackedBatch:
    whole, rng = bundle(variant, ALL), np.random.default_rng(0)
    members = [
        EncodedSequence(rng.integers(4, 50, 5 + 3 * i), np.sort(rng.integers(0, 2, 5 + 3 * i))) for i in range(rows)
    ]
    return pack([(whole.active_set(name), name, members) for name in corpora], token_types=True)


@pytest.mark.parametrize("lora", CHOICES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_model_starts_as_its_base(variant: str, lora: LoraOptions) -> None:
    base, adapted = made(variant, LoraOptions()).eval(), made(variant, lora).eval()
    assert {name for name in adapted.state_dict() if group_of(name) != "adapters"} == set(base.state_dict())
    packed = batch(variant, "nli", "topic")
    for ours, theirs in zip(adapted(packed).answers, base(packed).answers, strict=True):
        assert torch.equal(ours, theirs)


def test_everything_else_is_drawn_as_without_adapters() -> None:
    drawn = []
    for lora in (LoraOptions(), ALL):
        torch.manual_seed(3)
        drawn.append(build_model(bundle("mt_tag", lora)).state_dict())
    assert all(torch.equal(tensor, drawn[1][name]) for name, tensor in drawn[0].items())


@pytest.mark.parametrize("lora", CHOICES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_merged_is_unmerged(variant: str, lora: LoraOptions) -> None:
    model = moved(variant, lora).eval()
    merged = Checkpoint(bundle(variant, lora), model.state_dict()).merged()
    plain = merged.model()
    assert not any(isinstance(module, LoraLinear) for module in plain.modules())
    assert merged.bundle == bundle(variant, LoraOptions())
    assert plain.state_dict().keys() == made(variant, LoraOptions()).state_dict().keys()
    packed = batch(variant, "nli", "topic")
    runs = [one(packed).answers for one in (plain, model, made(variant, lora).eval())]
    for ours, theirs, start in zip(*runs, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)
        assert not torch.allclose(theirs, start, atol=1e-3)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_pack_is_each_sequence_alone(variant: str) -> None:
    together, alone = moved(variant), moved(variant)
    packed = batch(variant, "nli", "topic")
    sum(out.square().sum() for out in together(packed).answers).backward()
    for number, corpus in enumerate(("nli", "topic")):
        rng = np.random.default_rng(0)
        for row in range(3):
            one = EncodedSequence(rng.integers(4, 50, 5 + 3 * row), np.sort(rng.integers(0, 2, 5 + 3 * row)))
            active = bundle(variant, ALL).active_set(corpus)
            (logits,) = alone(pack([(active, corpus, [one])], token_types=True)).answers
            torch.testing.assert_close(together(packed).answers[number][row], logits[0], atol=1e-5, rtol=1e-4)
            logits.square().sum().backward()
    for name, parameter in together.named_parameters():
        theirs = alone.get_parameter(name).grad
        assert (parameter.grad is None) == (theirs is None), name
        if parameter.grad is not None:
            torch.testing.assert_close(parameter.grad, theirs, atol=1e-3, rtol=1e-3, msg=name)


@pytest.mark.parametrize("variant", VARIANTS)
def test_adapters_gates_and_heads_train_and_nothing_else(variant: str) -> None:
    model = moved(variant)
    model(batch(variant, "nli")).answers[0].square().sum().backward()
    active = bundle(variant, ALL).active_set("nli")
    for name, parameter in model.named_parameters():
        assert (
            parameter.requires_grad
            == (not is_base(name))
            == (group_of(name) in ("adapters", "gates", "conditional", "heads"))
        )
        if ".experts." not in name:  # some of which may have got no token
            assert (parameter.grad is not None) == (parameter.requires_grad and is_active(name, active, "nli")), name


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_passes_of_r3f_are_dropped_the_same(variant: str) -> None:
    """Without noise they are the same, though adapters drop half of what goes into them."""
    model = moved(variant, replace(ALL, dropout=0.5)).train()
    plain = batch(variant, "nli", "topic")
    doubled = with_noisy_copy(plain, torch.zeros(len(plain.tokens), 16), 1.0)
    runs = [model(*doubled).answers for _ in range(2)]
    for nli, topic, nli_copy, topic_copy in runs:
        torch.testing.assert_close(nli, nli_copy, atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(topic, topic_copy, atol=1e-5, rtol=1e-4)
    assert (runs[0][0] - runs[1][0]).abs().max() > 1e-2


@pytest.mark.parametrize("variant", ["dense", "ca_mtl"])
def test_freeze_beside_adapters(variant: str) -> None:
    """They keep the whole base as it is, so that a part of it cannot be chosen."""
    assert choose_freeze("paper", "bottom-half", adapted=True) == "none" == choose_freeze("none", "bottom-half", True)
    assert choose_freeze("paper", "bottom-half", adapted=False) == "bottom-half"
    with pytest.raises(InputError, match="--freeze embeddings: --lora-rank freezes the whole pretrained encoder"):
        choose_freeze("embeddings", "none", adapted=True)
    for name, parameter in build_model(replace(bundle(variant, ALL), freeze="bottom-half")).named_parameters():
        assert parameter.requires_grad == (not is_base(name)), name


def test_maps_in_every_slot_are_adapted() -> None:
    def adapted(variant: str, *targets: str) -> set[str]:
        names = made(variant, replace(ALL, targets=targets)).state_dict()
        return {name[:-7] for name in names if name.endswith(".lora_a") and ".layers.1." in name}

    top = "encoder.layers.1."
    assert adapted("dense", "query", "value") == {f"{top}attention.qkv"}
    assert adapted("dense", "output", "fc1") == {f"{top}attention.output", f"{top}feed_forward.fc1"}
    assert adapted("skillnet_x_ffn", "fc2") == {
        *(f"{top}feed_forward.task_skills.{skill}.fc2" for skill in ("generic", "sentence", "interact")),
        *(f"{top}feed_forward.language_skills.{language}.fc2" for language in ("en", "zh")),
    }
    languages = {f"{top}attention.languages.{language}.qkv" for language in ("en", "zh")}
    assert adapted("skillnet_x_ffn_mha", "key") == languages
    assert adapted("mt_switch", "fc1") == {f"{top}feed_forward.experts.{number}.fc1" for number in range(4)}


def test_adapters_are_counted_by_themselves() -> None:
    options = replace(ALL, targets=("query", "value", "fc1"))
    corpora = {name: (bundle("mt_tag", options).active_set(name), name) for name in ("nli", "topic")}
    described = describe_model(made("mt_tag", options), corpora)
    plain = describe_model(made("mt_tag", LoraOptions()), corpora)
    attention, expert = 2 * 4 * (16 + 16), 4 * (16 + 32)
    counts = described.parameters
    assert counts["adapters"] == 2 * (attention + 4 * expert)
    assert counts["total"] - counts["adapters"] == plain.parameters["total"]
    assert all(
        counts[key] == number
        for key, number in plain.parameters.items()
        if key not in ("total", "adapters", "trainable")
    )
    gates, head = 2 * 4 * 16, (16 * 16 + 16) + (3 * 16 + 3)
    nli = described.corpora["nli"]
    assert nli.trainable == counts["adapters"] + gates + head
    assert (
        nli.activated - nli.per_token - 2 * 3 * expert
        == plain.corpora["nli"].activated - plain.corpora["nli"].per_token
    )


@pytest.mark.parametrize("mode", [torch.bfloat16, torch.float16])
def test_half_precision_weights_stay_close(mode: torch.dtype) -> None:
    model = moved("skillnet_x_ffn_mha").eval()
    packed = batch("skillnet_x_ffn_mha", "nli", "topic")
    with torch.no_grad():
        exact, half = model(packed).answers, model.to(mode)(packed).answers
    for ours, theirs in zip(half, exact, strict=True):
        assert ours.dtype == mode
        assert float((ours.float() - theirs).norm() / theirs.norm()) < 0.05


def written(*values: str | float | None) -> LoraOptions:
    """What rank, alpha, dropout and targets say."""
    names = [one.name for one in LoraOptions.options()]
    return LoraOptions.read(dict(zip(names, values, strict=True)))


def test_options() -> None:
    assert written(0, None, None, "") == LoraOptions()
    assert written(8, None, None, "") == LoraOptions(8, 8.0, 0.1, ("query", "value"))
    assert written(8, 16, 0, "fc2,qkv") == LoraOptions(8, 16.0, 0.0, ("query", "key", "value", "fc2"))
    assert written(8, 16, 0, "all").targets == TARGETS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 8.0, None, ""), "--lora-alpha 8.0: goes with --lora-rank, which is 0"),
        ((0, None, 0.0, ""), "--lora-dropout 0.0: goes with --lora-rank"),
        ((0, None, None, "fc1"), "--lora-targets fc1: goes with --lora-rank"),
        ((4, None, None, "query,valeu"), "--lora-targets: nothing is called 'valeu'; did you mean 'value'"),
    ],
)
def test_refused_options(arguments: tuple[int, float | None, float | None, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        written(*arguments)


def test_a_rank_above_the_width_is_refused() -> None:
    with pytest.raises(InputError, match="--lora-rank 17: expected at most 16, the encoder's width"):
        build_model(bundle("dense", replace(ALL, rank=17)))
