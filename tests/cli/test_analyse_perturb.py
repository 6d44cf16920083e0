"""``skill-plugin analyse perturb`` and ``analyse ablate``: every number is what the model scores that way."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import torch

from skill_plugin.api import Model
from skill_plugin.checkpoints.checkpoint import Checkpoint, save_checkpoint
from skill_plugin.inference.evaluation import evaluate
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import World, examples, make_world

Command = Callable[..., tuple[int, str, str]]
Changes = dict[str, dict[str, dict[str, Any]]]  # condition -> corpus -> what changes in its active set
LANGUAGES = {"one": "en", "tags": "en", "mlm": "de", "pair": "de"}  # in the order of the file
SKILLS = {"one": ["generic"], "tags": ["generic", "other"], "mlm": ["generic"], "pair": ["other", "third"]}
VARIANTS = ("skillnet_x_ffn_mha", "skillnet_x_ffn", "skillnet", "mt_tag", "ca_mtl", "moe_top2", "dense")


@pytest.fixture(scope="module")
def world(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = {name: examples(name, 30) for name in LANGUAGES}
    made = make_world(tmp_path_factory.mktemp("data") / "bin", open_tokenizer(sentencepiece_model), rows)
    text = made.bundle.corpora_text.replace("other: off}", "other: off, third: off}")
    for name, skills in SKILLS.items():
        start = text.index(f"  {name}: ")
        text = text[:start] + text[start:].replace("skills: [generic]", f"skills: [{', '.join(skills)}]", 1)
    return World(made.folder, replace(made.bundle, corpora_text=text, skill_layers=None))


@pytest.fixture(scope="module")
def models(world: World) -> dict[str, Model]:
    return {one: World(world.folder, replace(world.bundle, variant=one)).model() for one in VARIANTS}


@pytest.fixture(scope="module")
def checkpoints(models: dict[str, Model], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    for variant, model in models.items():
        save_checkpoint(Checkpoint(model.bundle, model.model.state_dict()), folder / f"{variant}.pt")
    return {variant: folder / f"{variant}.pt" for variant in models}


def value(model: Model, world: World, name: str, **changes: Any) -> float:
    """What a corpus scores with some of its active set changed."""
    changed = model.activating({name: replace(model.bundle.active_set(name), **changes)})
    return evaluate(changed, str(world.folder), "valid", only=[name]).results.corpora[name].value


def perturbed(world: World, variant: str) -> Changes:
    """The changes of each corpus's active set by condition, as the issue words them."""
    found: Changes = {"as trained": {name: {} for name in LANGUAGES}}
    if variant in ("mt_tag", "ca_mtl"):
        part, words = ("gate", "gate of") if variant == "mt_tag" else ("embedding", "embedding of")
        for other in LANGUAGES:
            found[f"{words} {other}"] = {name: {part: other} for name in LANGUAGES if name != other}
        return found
    if variant != "skillnet":
        for language in ("en", "de", "zh"):
            others = [name for name, own in LANGUAGES.items() if own != language]
            found[f"language {language}"] = {name: {"language": language} for name in others}
    skills = ("generic", "other", "third")
    found["all skills"] = {name: {"skills": skills} for name in LANGUAGES}
    for seed in (42, 624, 123):
        r = random.Random(seed)
        title = found[f"random skills, seed {seed}"] = {}
        for name in LANGUAGES:
            drawn: list[str] = []
            while not drawn:
                drawn = [skill for skill in skills if r.random() > 0.5]
            title[name] = {"skills": tuple(drawn)}
    return found


def rows_of(out: str) -> dict[str, list[str]]:
    """The rows of printed tables: what stands in the first column, and the other cells."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]
    return {title: cells for title, *cells in rows}


def check_numbers(found: dict[str, Any], expected: Changes, model: Model, world: World) -> None:
    assert list(found["conditions"]) == list(expected)
    trained = {name: value(model, world, name) for name in LANGUAGES}
    for title, changes in expected.items():
        condition = found["conditions"][title]
        assert set(condition["corpora"]) == set(changes)
        averaged = [name for name in LANGUAGES if name in changes and name != "mlm"]
        for name, change in changes.items():
            score = value(model, world, name, **change)
            assert condition["corpora"][name]["value"] == pytest.approx(score, abs=1e-6)
            assert condition["corpora"][name]["change"] == pytest.approx(score - trained[name], abs=1e-6)
            active = replace(model.bundle.active_set(name), **change)
            said = condition["corpora"][name]["activated"]
            assert said.keys() == model.choices.keys()
            assert ActiveSet(**{**vars(active), **said, "skills": tuple(said.get("skills", active.skills))}) == active
        for names, average in (
            (averaged, condition),
            *(([n for n in averaged if LANGUAGES[n] == one], mean) for one, mean in condition["by_language"].items()),
        ):
            mean, before = fmean(condition["corpora"][name]["value"] for name in names), fmean(map(trained.get, names))  # type: ignore[type-var, arg-type]
            assert (average["avg"], average["change"]) == (pytest.approx(mean), pytest.approx(mean - before))


@pytest.mark.parametrize("variant", VARIANTS[:5])
def test_perturb(
    command: Command, world: World, models: dict[str, Model], checkpoints: dict[str, Path], tmp_path: Path, variant: str
) -> None:
    files = tmp_path / "p.json", tmp_path / "p.png"
    status, out, err = command(
        "analyse", "perturb", checkpoints[variant], world.folder, "--json", files[0], "--plot", files[1]
    )
    assert (status, err) == (0, "")
    found = json.loads(files[0].read_text())
    check_numbers(found, perturbed(world, variant), models[variant], world)
    whole = evaluate(models[variant], str(world.folder), "valid").results
    assert found["conditions"]["as trained"]["avg"] == whole.avg
    for name, result in whole.corpora.items():
        one = found["corpora"][name]
        assert found["conditions"]["as trained"]["corpora"][name]["value"] == result.value
        assert (one["n"], one["constant"], one["averaged"]) == (result.n, result.constant, name != "mlm")
    assert files[1].read_bytes().startswith(b"\x89PNG")
    by_language = variant.startswith("skillnet_x")
    rows = rows_of(out.split(f"{variant}, valid, de")[0])
    assert out.count(f"{variant}, valid, ") == (3 if by_language else 1)
    for title, condition in found["conditions"].items():
        average = condition["by_language"].get("en") if by_language else condition
        if average is None:
            continue
        names = ("one", "tags") if by_language else tuple(LANGUAGES)
        *cells, mean, change = rows[title]
        for name, cell in zip(names, cells, strict=True):
            scale = 1 if name == "mlm" else 100
            shown = condition["corpora"].get(name)
            assert cell.rstrip("*") == ("" if shown is None else f"{scale * shown['value']:.1f}")
        assert mean == f"{100 * average['avg']:.1f}"
        assert change == ("" if title == "as trained" else f"{100 * average['change']:+.1f}")


@pytest.mark.parametrize("variant", ["skillnet_x_ffn_mha", "skillnet_x_ffn"])
def test_ablate(
    command: Command, world: World, models: dict[str, Model], checkpoints: dict[str, Path], tmp_path: Path, variant: str
) -> None:
    files = tmp_path / "a.json", tmp_path / "a.svg"
    status, out, err = command(
        "analyse", "ablate", checkpoints[variant], world.folder, "--json", files[0], "--plot", files[1]
    )
    assert (status, err) == (0, "")
    expected: Changes = {"as trained": {name: {} for name in LANGUAGES}}
    alone = {"one": "generic", "mlm": "generic"}  # a language's network is left in the mean of skillnet_x_ffn
    for skill in ("generic", "other", "third"):
        expected[f"without {skill}"] = {
            name: {"skills": tuple(other for other in own if other != skill)}
            for name, own in SKILLS.items()
            if skill in own and (variant == "skillnet_x_ffn" or name not in alone)
        }
    found = json.loads(files[0].read_text())
    check_numbers(found, expected, models[variant], world)
    if variant == "skillnet_x_ffn":
        assert found["impossible"] == {} and "no other skill" not in out
    else:
        assert found["impossible"] == {
            "without generic": {name: f"{skill} is its only skill" for name, skill in alone.items()}
        }
        row = rows_of(out)["without generic"]
        assert [row[0], row[2]] == ["-", "-"]
        assert "- it has no other skill" in out
    drawn = files[1].read_text()
    assert all(f"<!-- {text} -->" in drawn for text in ("without third", "as trained", "tags"))


def test_rows_corpora_and_seeds(
    command: Command, world: World, models: dict[str, Model], checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    options = ("--only-corpora", "pair,one", "--limit", 7, "--seeds", "5", "--batch-size", 2, "--json", tmp_path / "p")
    status, _, err = command("analyse", "perturb", checkpoints["skillnet_x_ffn_mha"], world.folder, *options)
    assert (status, err) == (0, "")
    found = json.loads((tmp_path / "p").read_text())
    assert {name: one["n"] for name, one in found["corpora"].items()} == {"one": 7, "pair": 7}  # in the file's order
    assert [title for title in found["conditions"] if "seed" in title] == ["random skills, seed 5"]
    r = random.Random(5)
    draws = [[skill for skill in ("generic", "other", "third") if r.random() > 0.5] for _ in range(2)]
    said = found["conditions"]["random skills, seed 5"]["corpora"]
    assert [said["one"]["activated"]["skills"], said["pair"]["activated"]["skills"]] == draws
    model, examples_of = models["skillnet_x_ffn_mha"], world.examples("one")
    rows = [index * 30 // 7 for index in range(7)]
    right = 0
    from skill_plugin.nn.packed_batch import pack

    for row in rows:
        example = examples_of.example(row)
        active = replace(model.bundle.active_set("one"), language="zh")
        with torch.no_grad():
            (logits,) = model.model(pack([(active, "one", example.sequences)], False)).answers
        right += int(logits.argmax()) == int(example.target["classes"][0])
    assert found["conditions"]["language zh"]["corpora"]["one"]["value"] == pytest.approx(right / 7)


def test_averages_of_others_stand_beside(
    command: Command, world: World, checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    theirs = {"title": "paper", "conditions": {"language zh": {"by_language": {"en": {"avg": 0.857}}}}}
    (tmp_path / "paper.json").write_text(json.dumps(theirs))
    line = ("analyse", "perturb", checkpoints["skillnet_x_ffn_mha"], world.folder, "--only-corpora", "one,tags")
    status, out, _ = command(*line, "--beside", tmp_path / "paper.json", "--json", tmp_path / "own.json")
    assert status == 0
    assert "avg of" in out and " paper " in out
    assert [rows_of(out)[title][-1] for title in ("language zh", "all skills")] == ["85.7", ""]
    status, out, _ = command(*line, "--beside", tmp_path / "own.json")
    own = json.loads((tmp_path / "own.json").read_text())["conditions"]
    assert {title: row[-1] for title, row in rows_of(out).items()} == {
        title: f"{100 * condition['avg']:.1f}" for title, condition in own.items()
    }
    for content, message in (
        ("[]", "paper.json: expected a JSON object, found list"),
        ("{}", "paper.json: has no 'conditions'; expected what analyse perturb or analyse ablate has written"),
        ('{"conditions": {"all skills": {"avg": "high"}}}', "conditions.all skills.avg"),
    ):
        (tmp_path / "paper.json").write_text(content)
        status, out, err = command(*line, "--beside", tmp_path / "paper.json")
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert message in err


@pytest.mark.parametrize(
    ("analysis", "variant", "options", "status", "message"),
    [
        ("perturb", "dense", (), 1, "this dense model activates the same for every corpus"),
        ("perturb", "moe_top2", (), 1, "this moe_top2 model activates the same for every corpus"),
        ("ablate", "ca_mtl", (), 1, "this ca_mtl model has no task skills; nothing can be left out"),
        ("ablate", "skillnet", ("--only-corpora", "one,tag"), 1, "the model has no corpus 'tag'; did you mean 'tags'?"),
        ("perturb", "skillnet", ("--split", "test"), 1, "nothing to score (one, tags, mlm, pair: no test split)"),
        ("perturb", "skillnet", ("--seeds", "1,x"), 2, "'1,x' is not a list of numbers"),
        ("perturb", "skillnet", ("--seeds", "1,1"), 2, "--seeds: names 1 twice"),
        ("perturb", "skillnet", ("--plot", "p.gif"), 2, "'p.gif' ends with none of .png, .svg, .pdf"),
        ("perturb", "skillnet", ("--device", "abacus"), 1, "cannot run on the device 'abacus'"),
    ],
)
def test_faults_leave_nothing(
    command: Command, world: World, checkpoints: dict[str, Path], tmp_path: Path,
    analysis: str, variant: str, options: tuple[str, ...], status: int, message: str,
) -> None:  # fmt: skip
    files = ("--json", tmp_path / "u.json", *(() if "--plot" in options else ("--plot", tmp_path / "u.png")))
    found, out, err = command("analyse", analysis, checkpoints[variant], world.folder, *files, *options)
    assert (found, out) == (status, "")
    assert message in " ".join(err.split())
    assert status == 2 or err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_corpora_that_no_average_counts(
    command: Command, world: World, checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    files = ("--json", tmp_path / "p.json", "--plot", tmp_path / "p.png")
    line = ("analyse", "perturb", checkpoints["skillnet_x_ffn_mha"], world.folder, "--only-corpora", "mlm")
    status, out, err = command(*line, *files)
    assert (status, err) == (0, "")
    found = json.loads((tmp_path / "p.json").read_text())["conditions"]
    assert {(one["avg"], one["change"]) for one in found.values()} == {(None, None)}
    for title, row in rows_of(out).items():
        assert row == [f"{found[title]['corpora']['mlm']['value']:.1f}", "", ""]
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_no_file_is_written_over_an_input(command: Command, world: World, checkpoints: dict[str, Path]) -> None:
    file = checkpoints["skillnet"]
    before = file.read_bytes()
    status, _, err = command("analyse", "perturb", file, world.folder, "--json", file)
    assert status == 1 and str(file) in err
    assert file.read_bytes() == before
