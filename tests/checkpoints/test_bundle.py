"""What a checkpoint carries, and corpora that borrow from another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.origin import Origin
from skill_plugin.errors import InputError
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.head_spec import HeadSpec
from skill_plugin.nn.heads.spectral_linear import SpectralLinear
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.lora_options import LoraOptions

FILE = """\
languages: [en, zh]
skills: {generic: always on, interact: pairs}
corpora:
  nli-en:
    kind: classification
    language: en
    skills: [generic, interact]
    labels: [entailment, neutral, contradiction]
    format: tsv
    columns: {text_a: a, text_b: b, label: l}
    max_length: 512
    train: train.tsv
  nli-sw:
    as: nli-en
    language: sw
    test: sw.tsv
  nli-zh:
    as: nli-en
    language: zh
    test: zh.tsv
"""
LABELS = ("entailment", "neutral", "contradiction")
BUNDLE = Bundle(
    variant="skillnet_x_ffn_mha",
    shape=EncoderShape(2, 16, 2, 32, vocabulary=6, positions=40),
    skill_layers=1,
    corpora_text=FILE,
    corpora_path="/somewhere/corpora.yaml",
    labels={"nli-sw": LABELS, "nli-zh": LABELS, "nli-en": LABELS},
    facts={"nli-sw": {}, "nli-zh": {}, "nli-en": {}},
    max_length=30,
    text=TextEncoder(None, Vocabulary.from_pieces(["a"]), Template(2, token_types=False)).to_state(),
)


def test_a_corpus_borrows_head_skills_and_where_needed_the_language() -> None:
    assert BUNDLE.active_set("nli-sw") == ActiveSet(("generic", "interact"), "en", "nli-en", "nli-en")
    assert BUNDLE.active_set("nli-zh") == ActiveSet(("generic", "interact"), "zh", "nli-en", "nli-en")
    assert BUNDLE.heads() == {"nli-en": HeadSpec(ClassificationHead, 3)}
    assert replace(BUNDLE, labels={"nli-sw": LABELS}).active_set("nli-sw").language == "en"


def test_sequences_are_never_longer_than_the_positions() -> None:
    assert BUNDLE.length_of("nli-en") == 40


def test_through_a_checkpoint_and_back(tmp_path: Path) -> None:
    torch.save(BUNDLE.to_state(), tmp_path / "bundle.pt")
    read = Bundle.from_state(torch.load(tmp_path / "bundle.pt", weights_only=True))
    assert read == BUNDLE
    assert build_model(read).state_dict().keys() == build_model(BUNDLE).state_dict().keys()


def test_a_newer_version_is_refused() -> None:
    with pytest.raises(InputError, match=r"ckpt\.pt: written by another version of skill_plugin"):
        Bundle.from_state({**BUNDLE.to_state(), "version": 99}, "ckpt.pt")
    with pytest.raises(InputError, match=r"ckpt\.pt: written by a later version of skill_plugin, which has 'colour'"):
        Bundle.from_state({**BUNDLE.to_state(), "colour": 1}, "ckpt.pt")


def test_experts_and_gates_ride_along(tmp_path: Path) -> None:
    bundle = replace(
        BUNDLE,
        variant="mt_tag",
        skill_layers=None,
        experts=ExpertOptions(number=3, per_token=2, layers=(1,), scale="rescaled"),
    )
    torch.save(bundle.to_state(), tmp_path / "bundle.pt")
    read = Bundle.from_state(torch.load(tmp_path / "bundle.pt", weights_only=True))
    assert read == bundle
    names = build_model(read).state_dict()
    assert {name.split(".")[-2] for name in names if ".gates." in name} == {"nli-en"}
    assert names["encoder.layers.1.feed_forward.gates.nli-en.weight"].shape == (3, 16)
    assert read.active_set("nli-sw").gate == read.active_set("nli-zh").gate == "nli-en"
    later = ("experts", "average_weights", "origin")
    older = {key: value for key, value in BUNDLE.to_state().items() if key not in later}
    assert Bundle.from_state(older) == BUNDLE


def test_task_embeddings_and_what_is_frozen_ride_along(tmp_path: Path) -> None:
    bundle = replace(
        BUNDLE,
        variant="ca_mtl",
        skill_layers=None,
        conditional=ConditionalOptions(modules=("attention", "bottleneck"), length=9, full_block=True, form="base"),
        freeze="bottom-half",
    )
    torch.save(bundle.to_state(), tmp_path / "bundle.pt")
    read = Bundle.from_state(torch.load(tmp_path / "bundle.pt", weights_only=True))
    assert read == bundle
    model = build_model(read)
    names = dict(model.named_parameters())
    assert [name for name in names if ".rows." in name] == ["encoder.task_embeddings.rows.nli-en.weight"]
    assert names["encoder.layers.1.attention.matrix.blocks"].shape == (1, 9, 9)
    assert not names["encoder.layers.0.feed_forward.fc1.weight"].requires_grad
    assert read.active_set("nli-sw").embedding == read.active_set("nli-zh").embedding == "nli-en"
    older = {key: value for key, value in BUNDLE.to_state().items() if key not in ("conditional", "freeze")}
    assert Bundle.from_state(older) == BUNDLE


def test_constrained_heads_ride_along(tmp_path: Path) -> None:
    """The model of such a bundle applies the constraint; names and fresh weights are those of one without."""
    bundle = replace(BUNDLE, r4f=True)
    torch.save(bundle.to_state(), tmp_path / "bundle.pt")
    read = Bundle.from_state(torch.load(tmp_path / "bundle.pt", weights_only=True))
    assert read == bundle
    models = []
    for one in (read, BUNDLE):
        torch.manual_seed(0)
        models.append(build_model(one))
    assert isinstance(models[0].heads["nli-en"].out_proj, SpectralLinear)
    assert not isinstance(models[1].heads["nli-en"].out_proj, SpectralLinear)
    states = [model.state_dict() for model in models]
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][name], tensor) for name, tensor in states[1].items())
    older = {key: value for key, value in BUNDLE.to_state().items() if key != "r4f"}
    assert Bundle.from_state(older) == BUNDLE


def test_linear_heads_ride_along(tmp_path: Path) -> None:
    bundle = replace(BUNDLE, linear_heads=True)
    torch.save(bundle.to_state(), tmp_path / "bundle.pt")
    read = Bundle.from_state(torch.load(tmp_path / "bundle.pt", weights_only=True))
    assert read == bundle
    assert set(build_model(read).heads["nli-en"].state_dict()) == {"out_proj.weight", "out_proj.bias"}
    older = {key: value for key, value in BUNDLE.to_state().items() if key != "linear_heads"}
    assert Bundle.from_state(older) == BUNDLE


def test_older_checkpoints_keep_query_and_question_apart() -> None:
    assert Bundle.from_state(BUNDLE.to_state()).joined_question
    older = {key: value for key, value in BUNDLE.to_state().items() if key != "joined_question"}
    assert not Bundle.from_state(older).joined_question
    assert not Bundle.from_state(Bundle.from_state(older).to_state()).joined_question


def test_a_run_of_masked_lm_alone_has_nothing_to_constrain() -> None:
    text = "languages: [de]\ncorpora:\n  raw: {kind: masked_lm, language: de, format: lines, "
    bundle = replace(
        BUNDLE, variant="dense", corpora_text=f"{text}train: {{text: t.txt}}}}\n", labels={"raw": ()}, facts={"raw": {}}
    )
    build_model(bundle)
    with pytest.raises(InputError, match="--r4f: nothing to hold"):
        build_model(replace(bundle, r4f=True))
    with pytest.raises(InputError, match="--head linear: nothing to leave out, heads of masked_lm have no dense map"):
        build_model(replace(bundle, linear_heads=True))


def test_adapters_ride_along(tmp_path: Path) -> None:
    bundle = replace(BUNDLE, lora=LoraOptions(2, 4.0, 0.1, ("query", "fc1")), base="0" * 64)
    torch.save(bundle.to_state(), tmp_path / "bundle.pt")
    read = Bundle.from_state(torch.load(tmp_path / "bundle.pt", weights_only=True))
    assert read == bundle
    assert build_model(read).state_dict().keys() == build_model(bundle).state_dict().keys()
    older = {key: value for key, value in BUNDLE.to_state().items() if key not in ("lora", "base")}
    assert Bundle.from_state(older) == BUNDLE


def test_weights_of_averages_and_the_origin_ride_along(tmp_path: Path) -> None:
    first = Origin("xlmr.pt", {"skills": {"copied": ["a"]}}, [], ["took"])
    origin = Origin("pretrained.pt", {"heads": {"fresh": ["heads.nli-en"]}}, ["heads.mlm"], ["took 1"], first)
    bundle = replace(BUNDLE, average_weights={"nli-en": 2.0}, origin=origin)
    torch.save(bundle.to_state(), tmp_path / "bundle.pt")
    assert Bundle.from_state(torch.load(tmp_path / "bundle.pt", weights_only=True)) == bundle
