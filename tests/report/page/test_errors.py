"""The section of errors: confusions, certainty and the worst rows are those of a direct computation."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from skill_plugin.api import Model
from skill_plugin.cli.main import main
from skill_plugin.kinds.items import join_targets
from skill_plugin.kinds.labelling.metric import Labelling
from skill_plugin.nn.packed_batch import pack
from tests.every_kind import World, examples, raw_input
from tests.html_page import HtmlPage

MakePage = Callable[..., HtmlPage]
ROWS = 12


@pytest.fixture(scope="module")
def inspected(run: Path, world: World, tmp_path_factory: pytest.TempPathFactory) -> HtmlPage:
    return report(run, world, tmp_path_factory.mktemp("page") / "report.html")


def report(run: Path, world: World, out: Path, *options: str) -> HtmlPage:
    with pytest.raises(SystemExit) as ended:
        main(["report", str(run), "--data", str(world.folder), "--rows", "3", "--out", str(out), *options])
    assert ended.value.code == 0
    return HtmlPage.read(out)


@pytest.mark.parametrize("name", ["pair", "wic"])
def test_confusions_are_those_of_the_answers(
    world: World, model: Model, run: Path, inspected: HtmlPage, name: str
) -> None:
    made = examples(name, ROWS)
    answers = [found.to_json()["label"] for found in model.predict(name, [raw_input(name, one) for one in made])]
    counts = Counter(zip([one.answer for one in made], answers, strict=True))
    written = json.loads((run / "results.json").read_text())["corpora"][name]["confusion"]
    assert {(right, given): n for right, row in written.items() for given, n in row.items()} == counts
    heads = [head.text for head in inspected.section("errors").all("th")]
    labels = heads[heads.index(name) + 1 : heads.index("recall", heads.index(name))]
    table = inspected.section("errors").table(name)
    for right in written:
        assert table[right][: len(labels)] == [str(counts[right, label]) for label in labels]
        gold = sum(n for (one, _), n in counts.items() if one == right)
        assert table[right][len(labels)] == f"{100 * counts[right, right] / gold:.1f}"


def test_what_became_of_entities() -> None:
    metric = Labelling("f1", ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
    gold = ["B-PER", "I-PER", "O", "B-LOC", "O", "B-LOC", "O", "B-PER", "O", "O"]
    said = ["B-PER", "O", "O", "B-PER", "O", "O", "O", "B-PER", "O", "B-LOC"]
    assert metric.confusion([said], [gold]) == {
        "LOC": {"PER": 1, "missed": 1},
        "PER": {"other bounds": 1, "PER": 1},
        "(no entity)": {"LOC": 1},
    }


@pytest.mark.parametrize("name", ["pair", "score", "tags", "span", "choice"])
def test_the_worst_rows_are_those_with_the_greatest_losses(
    world: World, model: Model, inspected: HtmlPage, name: str
) -> None:
    """Against the losses of training, of each row by itself, whatever batch it is in."""
    stored, losses = world.examples(name), []
    active, head = model.bundle.active_set(name), model.bundle.corpus(name).head
    for i in range(len(stored)):
        example = stored.example(i)
        with torch.no_grad():
            outputs = model.model(pack([(active, head, example.sequences)], False)).answers[0]
        found = stored.items.family.losses(outputs, join_targets([example.target]))
        values = found.values if found.known is None else found.values[found.known]
        losses.append(float(values.mean()) if len(values) else 0.0)
    section = inspected.section("errors")
    tables = [one for one in section.all("table") if one.all("th")[0].text == name and "loss" in one.all("th")[3].text]
    shown = [row.all("td")[-1].text for row in tables[-1].all("tr")[1:]]
    expected = sorted(losses, reverse=True)[:3]
    assert shown and all(any(text == f"{loss:.2f}" for loss in expected) for text in shown)
    texts = " ".join(tables[-1].text.split())
    worst = stored.split.example(int(np.argmax(losses))).texts[0]
    assert len(shown) < 3 or " ".join(worst.split()) in texts


def test_certainty_is_that_of_the_results(run: Path, page: MakePage) -> None:
    corpora = json.loads((run / "results.json").read_text())["corpora"]
    expected = {name: one["calibration"] for name, one in corpora.items() if "calibration" in one}
    section = page(run).section("errors")
    table = next(one for one in section.all("table") if "calibration error" in [head.text for head in one.all("th")])
    shown = {row.all("th")[0].text: row.all("td")[1].text for row in table.all("tr")[1:]}
    assert shown == {name: f"{100 * one['ece']:.1f}" for name, one in expected.items()} and len(expected) > 3


def test_what_is_missing_is_said(run: Path, page: MakePage) -> None:
    text = page(run).section("errors").text
    assert f"skill-plugin report {run} --data DATA_BIN" in text


@pytest.mark.parametrize("results", ["none", "of an earlier version", "of another split"])
def test_what_was_not_scored_is_read_once_for_scores_and_rows(
    world: World, run: Path, inspected: HtmlPage, results: str, tmp_path: Path
) -> None:
    folder = tmp_path / run.name
    shutil.copytree(run, folder)
    content = json.loads((folder / "results.json").read_text())
    if results == "none":
        (folder / "results.json").unlink()
    elif results == "of another split":
        (folder / "results.json").write_text(json.dumps({**content, "split": "test"}))
    else:
        for one in content["corpora"].values():
            one.pop("confusion", None)
        (folder / "results.json").write_text(json.dumps(content))
    page = report(folder, world, tmp_path / "report.html", *["--split", "valid"] * (results != "none"))
    for name in ("scores", "errors"):
        assert page.section(name).text == inspected.section(name).text


def test_files_of_the_run_are_not_written_over(run: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    for file in run.iterdir():
        before = file.read_bytes()
        status, out, err = command("report", run, "--out", file)
        assert (status, out, err) == (1, "", f"{file}: is read and to be written; name another file to write\n")
        assert file.read_bytes() == before
