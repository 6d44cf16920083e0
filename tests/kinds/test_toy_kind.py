"""A kind in a package of its own goes all the way: nothing outside a kind's package knows kinds by name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import (
    every_metric,
    forget_kind,
    is_cost,
    is_cost_of_corpus,
    kind_named,
    kind_names,
    register_kind,
)
from skill_plugin.metrics.constant_rule import score_constant_rule
from skill_plugin.report.results import CorpusResult, Results
from skill_plugin.report.score_table import make_score_table
from skill_plugin.spec import parse_corpora_file, read_corpora_file
from tests import warm_process
from tests.kinds.stars.keys import StarsKeys
from tests.kinds.stars.metric import Closeness

ROOT = Path(__file__).parents[2]
CORPORA = """languages: [en]
skills: {all: always on}
corpora:
  stars:
    {kind: stars, language: en, skills: [all], format: tsv, columns: {review: text, stars: given},
     train: train.tsv, valid: valid.tsv, test: test.tsv}
  mood:
    {kind: classification, language: en, skills: [all], format: tsv, columns: {text_a: text, label: given},
     train: train.tsv, valid: valid.tsv}
"""
# what an installed package is to Python: a folder beside it with its entry points
PACKAGE = {
    "METADATA": "Metadata-Version: 2.1\nName: stars\nVersion: 1\n",
    "entry_points.txt": "[skill_plugin.kinds]\nstars = tests.kinds.stars\n",
}
# a program in Python with that package installed
START = """import runpy, sys
sys.path[:0] = [{installed!r}, {root!r}]
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Place:
    """A folder with raw rows, and the stars package installed."""

    folder: Path

    def run(self, *command: object, good: bool = True) -> str:
        """Output of a module that is run in a process of its own."""
        line = [sys.executable, self.folder / "start.py", *command]
        done = warm_process.run(line, capture_output=True, text=True, timeout=300, cwd=self.folder)
        output = f"{done.stdout}{done.stderr}"
        assert (done.returncode == 0) == good, output[-4000:]
        return output


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("stars")
    rows = [
        f"{'good ' * stars}{'bad ' * (5 - stars)}place number {n}\t{stars}" for n in range(8) for stars in range(1, 6)
    ]
    for split, part in (("train", rows), ("valid", rows[::3])):
        (folder / f"{split}.tsv").write_text("text\tgiven\n" + "".join(f"{row}\n" for row in part))
    (folder / "test.tsv").write_text("text\ngood place\n")
    (folder / "corpora.yaml").write_text(CORPORA)
    installed = folder / "installed"
    (installed / "stars-1.dist-info").mkdir(parents=True)
    for name, content in PACKAGE.items():
        (installed / "stars-1.dist-info" / name).write_text(content)
    (folder / "start.py").write_text(START.format(installed=str(installed), root=str(ROOT)))
    return Place(folder)


@pytest.fixture
def registered() -> Iterator[None]:
    register_kind("stars", "tests.kinds.stars")
    yield
    forget_kind("stars")


def test_a_kind_is_known_as_long_as_it_is_registered(registered: None) -> None:
    assert "stars" in kind_names()
    assert "closeness" in every_metric()
    assert kind_named("stars").columns == ("review", "stars")
    corpus = parse_corpora_file(CORPORA, Path("c.yaml")).corpora["stars"]
    assert (corpus.kind, corpus.metric, corpus.columns) == ("stars", "closeness", {"review": "text", "stars": "given"})
    for wrong, expected in (
        ("columns: {review: text}", "misses the column 'stars'"),
        ("columns: {review: a, stars: b}, metric: exakt", "unknown value 'exakt'; did you mean 'exact'?"),
        ("columns: {review: a, stars: b}, metric: accuracy", "expected one of: closeness, exact, distance"),
        ("columns: {review: a, stars: b}, labels: [a, b]", "has the option 'labels' of classification"),
        ("columns: {review: a, stars: b}, most: 1", "corpus 'a': most: expected a whole number from 2, not 1"),
        ("columns: {review: a, stars: b}, mosst: 4", "corpus 'a': unknown key 'mosst'; did you mean 'most'?"),
    ):
        text = f"languages: [en]\ncorpora: {{a: {{kind: stars, language: en, format: tsv, train: t, {wrong}}}}}\n"
        with pytest.raises(InputError) as caught:
            parse_corpora_file(text, Path("c.yaml"))
        assert expected in str(caught.value)


def test_a_metric_of_which_less_is_better(registered: None) -> None:
    assert (is_cost("distance"), is_cost("closeness"), is_cost("avg")) == (True, False, False)
    assert (is_cost_of_corpus("stars_distance"), is_cost_of_corpus("stars_exact")) == (True, False)
    distance = Closeness("distance", 5)
    assert (distance.higher_is_better, distance.in_unit_interval) == (False, False)
    assert score_constant_rule(distance, [1, 1, 5]) == pytest.approx(4 / 3)  # of 1 for all
    result = CorpusResult("en", "stars", "distance", 1.2, 3, constant=4 / 3)
    console = Console(width=80)
    with console.capture() as captured:
        console.print(make_score_table(Results("valid", {"stars": result})))
    assert "1.20 (1.33)" in captured.get()


def test_a_key_that_the_kind_brings_itself(registered: None) -> None:
    text = CORPORA.replace("kind: stars,", "kind: stars, most: 10,")
    text += "  more: {as: stars, language: en, test: t}\n"
    text += "  fewer: {as: stars, language: en, most: 3, head: fewer, test: t}\n"
    corpora = parse_corpora_file(text, Path("c.yaml")).corpora
    of_stars = [StarsKeys.of(corpora[name]).most for name in ("stars", "more", "fewer")]
    assert of_stars == [10, 10, 3]
    assert corpora["stars"].head_options == {"most": 10}
    assert StarsKeys.of(parse_corpora_file(CORPORA, Path("c.yaml")).corpora["stars"]).most == 5
    for right, wrong, expected in (
        ("head: fewer, ", "", "11: corpus 'fewer' shares the head 'stars' with 'stars' but not its most"),
        ("mood:\n    {", "mood:\n    {most: 5, ", "8: corpus 'mood' has the option 'most' of stars, but its kind is"),
        ("most: 3", "most: two", "11: corpus 'fewer': most: expected a whole number from 2, not 'two'"),
    ):
        with pytest.raises(InputError) as caught:
            parse_corpora_file(text.replace(right, wrong), Path("c.yaml"))
        assert str(caught.value).startswith(f"c.yaml:{expected}")


def test_a_kind_that_is_not_registered_is_unknown(place: Place) -> None:
    with pytest.raises(InputError, match="unknown value 'stars'"):
        read_corpora_file(place.folder / "corpora.yaml")
    assert "stars" not in kind_names()


def test_check(place: Place, registered: None, command: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = command("check", place.folder / "corpora.yaml", "--json")
    assert status == 0, err
    report = json.loads(out)["corpora"]["stars"]
    assert report["train"]["rows"] == 40
    assert report["train"]["contents"] == {"given": 8 * 15}
    (place.folder / "bad.yaml").write_text(CORPORA.replace("train.tsv", "bad.tsv", 1))
    (place.folder / "bad.tsv").write_text("text\tgiven\na\t3\nb\t6\na\t3\n")
    status, out, err = command("check", place.folder / "bad.yaml", "--only-corpora", "stars")
    assert status == 1
    assert "bad.tsv:3: the stars are '6'; expected a number from 1 to 5" in err
    assert "reviews that repeat an earlier review: 1" in out
    assert "6 stars in all" in out


@pytest.mark.slow
def test_from_raw_rows_to_answers(place: Place, sentencepiece_model: Path) -> None:
    data, run = place.folder / "data", place.folder / "run"
    place.run("skill_plugin", "check", "corpora.yaml", "--tokenizer", sentencepiece_model)
    place.run("skill_plugin", "prepare", "corpora.yaml", data, "--tokenizer", sentencepiece_model, "--workers", 2)
    options = {
        "--user-dir": ROOT / "skill_plugin", "--task": "multilingual_multitask", "--corpora": "corpora.yaml",
        "--arch": "skillnet_x_ffn_tiny", "--criterion": "multitask_r3f", "--loss-scaling": "log-classes",
        "--optimizer": "adam", "--lr": 3e-3, "--batch-size": 8, "--corpora-per-batch": 2, "--max-update": 60,
        "--best-checkpoint-metric": "avg", "--save-dir": run, "--num-workers": 0, "--log-format": "json",
    }  # fmt: skip
    flat = [part for option in options.items() for part in option]
    flags = ["--cpu", "--maximize-best-checkpoint-metric", "--no-epoch-checkpoints"]
    log = place.run("fairseq_cli.train", data, *flat, *flags)
    place.run("skill_plugin", "evaluate", run / "checkpoint_last.pt", data, "--json", "results.json")
    results: dict[str, Any] = json.loads((place.folder / "results.json").read_text())
    found = results["corpora"]["stars"]
    assert (found["kind"], found["metric"], found["n"]) == ("stars", "closeness", 14)
    assert 0 <= found["details"]["exact"] <= found["value"] <= 1
    logged = [json.loads(line[line.index("{") :]) for line in log.splitlines() if '"valid_stars_closeness"' in line]
    assert float(logged[-1]["valid_stars_closeness"]) == pytest.approx(found["value"], abs=1e-5)
    assert found["value"] > 0.7  # 3 of 5 stars for everything are 0.7
    (place.folder / "in").write_text("good good good good good place number 1\nbad bad bad bad good place number 2\n\n")
    place.run("skill_plugin", "predict", run / "checkpoint_last.pt", "--corpus", "stars", "in", "out")
    best, worst, empty = (place.folder / "out").read_text().splitlines()
    assert len(best) > len(worst)
    assert {*best, *worst, *empty} == {"★"}
    told = json.loads(place.run("skill_plugin", "describe", run / "checkpoint_last.pt", "--json"))
    assert told["corpora"]["stars"]["skills"] == ["all"]
    exported = place.folder / "exported"
    arguments = ("--corpus", "stars", "--format", "onnx", "--data", data)
    assert "100.00% of the answers are equal" in place.run(
        "skill_plugin", "export", run / "checkpoint_last.pt", exported, *arguments
    )
    assert (exported / "decode.py").read_bytes() == (ROOT / "tests/kinds/stars/decode.py").read_bytes()
    assert 'answer("A review.")[0]  # how many stars' in (exported / "README.md").read_text()
