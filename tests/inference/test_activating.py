"""A corpus scored with other skills, another language, gate or task embedding than it was trained with."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from skill_plugin.api import Model
from skill_plugin.checkpoints.checkpoint import Checkpoint, save_checkpoint
from skill_plugin.errors import InputError
from skill_plugin.inference.evaluation import evaluate
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import World, examples, make_world, raw_input

Command = Callable[..., tuple[int, str, str]]
NAMES = ("one", "pair", "tags", "span")
MOVED = {  # what each change stands for: the parameters that take the place of those that the corpus `one` activates
    ("skillnet_x_ffn_mha", "other"): {"task_skills.other.": "task_skills.generic."},
    ("skillnet_x_ffn_mha", "+zh"): {"languages.zh.": "languages.en."},
    ("skillnet_x_ffn", " other + zh "): {
        "task_skills.other.": "task_skills.generic.", "language_skills.zh.": "language_skills.en.",
    },
    ("skillnet", "other"): {"task_skills.other.": "task_skills.generic."},
    ("mt_tag", "@pair"): {"gates.pair.": "gates.one."},
    ("ca_mtl", "@pair"): {"rows.pair.": "rows.one."},
}  # fmt: skip


@pytest.fixture(scope="module")
def world(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = {name: examples(name, 20, words=20) for name in NAMES}
    return make_world(tmp_path_factory.mktemp("data") / "bin", open_tokenizer(sentencepiece_model), rows)


def model_of(world: World, variant: str) -> Model:
    return World(world.folder, replace(world.bundle, variant=variant, skill_layers=None)).model()


def probabilities(model: Model, name: str = "one") -> list[float]:
    inputs = [raw_input(name, made) for made in examples(name, 20, words=20)]
    return [value for found in model.predict(name, inputs) for value in found.to_json()["probabilities"].values()]


@pytest.mark.parametrize(("variant", "change"), MOVED)
def test_it_is_the_model_whose_parameters_were_exchanged(world: World, variant: str, change: str) -> None:
    model, moved = model_of(world, variant), model_of(world, variant)
    own = probabilities(model)
    state = moved.model.state_dict()
    for name in state:
        for new, old in MOVED[variant, change].items():
            if new in name:
                state[name.replace(new, old)].copy_(state[name])
    changed = model.activating({"one": change})
    assert probabilities(changed) == pytest.approx(probabilities(moved), abs=1e-5)
    assert probabilities(changed) != pytest.approx(own, abs=1e-3)
    assert probabilities(changed, "pair") == probabilities(model, "pair")  # named by nothing
    assert probabilities(model) == own
    inputs = [raw_input("one", made) for made in examples("one", 20, words=20)]
    torch.testing.assert_close(changed.embed("one", inputs), moved.embed("one", inputs), atol=1e-5, rtol=0)
    for one, other in zip(changed.logits("one", inputs), moved.logits("one", inputs), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=0)
    found = evaluate(changed, str(world.folder), "valid").results.corpora
    by_copy = evaluate(moved, str(world.folder), "valid").results.corpora["one"]
    assert (found["one"].value, found["one"].details) == (by_copy.value, pytest.approx(by_copy.details))
    assert (found["pair"].activated, by_copy.activated) == ({}, {})


def test_two_skills_are_the_mean_of_their_networks(world: World) -> None:
    model = model_of(world, "skillnet")
    (layer,) = model.model.encoder.layers[-1:]
    x = torch.randn(7, 16)
    active = model.activating({"one": "generic,other"}).active_set("one")
    assert active == replace(model.bundle.active_set("one"), skills=("generic", "other"))
    networks = layer.feed_forward.task_skills
    both = (networks["generic"](x) + networks["other"](x)) / 2
    from skill_plugin.nn.skills.mean_of_active import mean_of_active

    torch.testing.assert_close(mean_of_active(x, [(0, 7)], [active.skills], dict(networks.items())), both)


@pytest.mark.parametrize(
    ("variant", "change", "message"),
    [
        ("skillnet", "othr", "one=othr: the model has no task skill 'othr'; did you mean 'other'?"),
        ("skillnet", "+zh", "one=+zh: this skillnet model has no language skills, but task skills"),
        ("skillnet_x_ffn", "+cn", "one=+cn: the model has no language skill 'cn'; expected one of: en, de, zh"),
        ("skillnet_x_ffn", "zh", "no task skill 'zh', but a language skill of this name: write +zh"),
        ("skillnet_x_ffn", "+other", "no language skill 'other', but a task skill of this name: write other"),
        ("skillnet_x_ffn", "other,other", "one=other,other: names a skill twice"),
        ("skillnet_x_ffn", "other,", "the model has no task skill ''"),
        ("skillnet_x_ffn", "", "one=: expected SKILL,SKILL+LANGUAGE"),
        ("skillnet_x_ffn", "other+", "one=other+: expected SKILL,SKILL+LANGUAGE"),
        ("skillnet_x_ffn", "@pair", "this skillnet_x_ffn model has no gates and no task embeddings"),
        ("mt_tag", "other", "this mt_tag model has no task skills, but gates"),
        ("mt_tag", "@pairs", "the model has no corpus 'pairs'; did you mean 'pair'?"),
        ("ca_mtl", "+zh", "this ca_mtl model has no language skills, but task embeddings"),
        ("moe_top2", "other", "one=other: this moe_top2 model has no task skills"),
        ("dense", "@pair", "this dense model has no gates and no task embeddings"),
    ],
)
def test_what_the_model_does_not_have(world: World, variant: str, change: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        model_of(world, variant).activating({"one": change})
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_an_unknown_corpus(world: World) -> None:
    with pytest.raises(InputError, match="the model has no corpus 'ones'; did you mean 'one'"):
        model_of(world, "skillnet").activating({"ones": "other"})


def test_evaluate(world: World, command: Command, tmp_path: Path) -> None:
    model = model_of(world, "skillnet_x_ffn_mha")
    checkpoint, results = tmp_path / "model.pt", tmp_path / "results.json"
    save_checkpoint(Checkpoint(model.bundle, model.model.state_dict()), checkpoint)
    line = ("evaluate", checkpoint, world.folder)
    options = ("--activate", "one=other", "--activate", "tags=generic,other+zh", "--json", results)
    status, _, err = command(*line, *options)
    assert status == 0
    said = " ".join(err.split())
    assert said == "one: activated language en; skills other tags: activated language zh; skills generic, other"
    found = json.loads(results.read_text())["corpora"]
    changed = model.activating({"one": "other", "tags": "generic,other+zh"})
    for name, result in evaluate(changed, str(world.folder), "valid").results.corpora.items():
        assert found[name]["value"] == result.value
        assert found[name].get("activated", {}) == result.activated
    assert found["tags"]["activated"] == {"language": "zh", "skills": ["generic", "other"]}
    assert "activated" not in found["pair"]
    for options, message in (
        (("--activate", "one"), "--activate one: expected CORPUS=SKILL,SKILL+LANGUAGE"),
        (("--activate", "one=other", "--activate", "one=+zh"), "--activate one=+zh: 'one' is named twice"),
        (("--only-corpora", ","), "--only-corpora ,: expected names separated by commas, as a,b"),
    ):
        status, out, err = command(*line, *options)
        assert (status, out) == (2, "") and message in err
    for options, message in (
        (("--activate", "one=othr"), "one=othr: the model has no task skill 'othr'; did you mean 'other'?"),
        (("--activate", "ones=other"), "the model has no corpus 'ones'; did you mean 'one'?"),
        (
            ("--activate", "one=other", "--only-corpora", "pair,tags"),
            "--activate: 'one' is no corpus that --only-corpora names",
        ),
    ):
        status, out, err = command(*line, *options)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert message in err
