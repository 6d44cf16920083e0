"""Rows of the table, against direct computations on made-up results."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

from skill_plugin.errors import InputError
from skill_plugin.report.results import CorpusResult, Results
from skill_plugin.sweeps.plan import Plan, make_plan
from skill_plugin.sweeps.plot import along, courses, draw_sweep
from skill_plugin.sweeps.read_sweep_file import read_sweep_file
from skill_plugin.sweeps.scores import make_rows
from skill_plugin.sweeps.table import check_layout, write_tables
from tests.sweeps.conftest import Write

GRID = """
options: {arch: dense_tiny}
runs: {a: {dropout: 0.1}, b: {dropout: 0.2}}
grid: {lr: [1, 2, 4]}
seeds: [1, 2]
evaluate: [valid, test]
"""


def value(run: Any, split: str, corpus: str) -> float:
    """Of a: the best learning rate on valid is 2, on test 4; of b it is 1 on both."""
    lr, seed = int(run.words["--lr"][0]), run.seed
    best = {("0.1", "valid"): 2, ("0.1", "test"): 4}.get((run.words["--dropout"][0], split), 1)
    return round(0.5 + 0.2 * (lr == best) + 0.01 * seed * lr + (0.1 if corpus == "reviews-en" else 0), 6)


def scored(write: Write, folder: Path, text: str, kind: str = "classification", metric: str = "accuracy") -> Plan:
    plan = make_plan(read_sweep_file(write(text)), folder, 1)
    for run in plan.runs:
        for split in run.splits:
            corpora = {
                name: CorpusResult("en", kind, metric, value(run, split, name), 10) for name in ("nli-en", "reviews-en")
            }
            Results(split, corpora).write(run.results(split))
    return plan


def test_means_and_deviations(write: Write, tmp_path: Path) -> None:
    plan = scored(write, tmp_path / "out", GRID)
    assert write_tables(plan, tmp_path) == []
    table = json.loads((tmp_path / "table.test.json").read_text())
    assert len(table["rows"]) == 6
    runs = [run for run in plan.runs if run.words["--lr"] == ("4",) and run.words["--dropout"] == ("0.1",)]
    row = table["rows"]["a, lr 4"]
    for corpus in ("nli-en", "reviews-en"):
        values = [value(run, "test", corpus) for run in runs]
        assert row["corpora"][corpus] == {"mean": fmean(values), "deviation": stdev(values), "values": values}
    means = [fmean([value(run, "test", "nli-en"), value(run, "test", "reviews-en")]) for run in runs]
    assert row["all"]["mean"] == pytest.approx(fmean(means))


def test_the_best_on_valid_is_shown(write: Write, tmp_path: Path) -> None:
    plan = scored(write, tmp_path / "out", GRID + "table: {rows: [runs], baseline: b}\n")
    (note,) = write_tables(plan, tmp_path)
    assert note == f"every choice: {tmp_path / 'all.md'}"
    table = json.loads((tmp_path / "table.test.json").read_text())
    assert table["chosen"] == {"a": "lr 2", "b": "lr 1"}
    assert table["rows"]["a"]["corpora"]["nli-en"]["values"] == pytest.approx([0.52, 0.54])  # of lr 2, on test
    ours, theirs = (table["rows"][name]["all"]["values"] for name in "ab")
    expected = fmean(one - other for one, other in zip(ours, theirs, strict=True))
    assert table["rows"]["a"]["differences"]["all"]["mean"] == pytest.approx(expected)
    assert len(json.loads((tmp_path / "all.json").read_text())["rows"]) == 6


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("{rows: [runs], baseline: c}", "8: baseline: 'c' is not a row; expected one of: a, b"),
        ("\n  small: [review-en]", "9: small: 'review-en' is not a corpus of the runs; did you mean 'reviews-en'?"),
    ],
)
def test_what_a_table_names_is_looked_at_first(write: Write, tmp_path: Path, table: str, message: str) -> None:
    path = write(GRID + f"table: {table}\n")
    with pytest.raises(InputError) as error:
        check_layout(make_plan(read_sweep_file(path), tmp_path, 1))
    assert str(error.value) == f"{path}:{message}"


def test_the_best_of_seeds(write: Write, tmp_path: Path) -> None:
    rows = make_rows(scored(write, tmp_path, GRID + "table: {rows: [runs], seeds: best}\n"))
    assert [(row.name, row.chosen, list(row.seeds)) for row in rows] == [
        ("a", "lr 2, seed 2", [2]),
        ("b", "lr 1, seed 2", [2]),
    ]


def test_small_corpora_are_those_of_all_rows(write: Write, tmp_path: Path) -> None:
    """Told before any run is made."""
    stages = "stages: {joint: {}, finetune: {init_from: {stage: joint}, each: [nli-en]}}\n"
    path = write(f"options: {{arch: dense_tiny}}\n{stages}table: {{small: [nli-en, reviews-en]}}\n")
    with pytest.raises(InputError) as error:
        check_layout(make_plan(read_sweep_file(path), tmp_path, 1))
    words = "small: the row 'finetune' has no 'reviews-en', and means are over corpora that all rows have"
    assert str(error.value) == f"{path}:5: {words}"


@pytest.mark.parametrize("seeds", ["mean", "best"])
def test_what_lacks_seeds_is_not_chosen(write: Write, tmp_path: Path, seeds: str) -> None:
    """The best learning rate of a has one seed, as where another failed: the best of those with both is shown."""
    plan = scored(write, tmp_path, GRID + f"table: {{rows: [runs], seeds: {seeds}}}\n")
    next(run for run in plan.runs if run.words["--lr"] == ("2",)).results("valid").unlink()
    row = make_rows(plan)[0]
    assert row.chosen.startswith("lr 4") and row.done == row.planned == 2


def test_how_many_seeds_the_best_is_of(write: Write, tmp_path: Path) -> None:
    plan = scored(write, tmp_path, GRID.replace("[1, 2, 4]", "[1]") + "table: {rows: [runs], seeds: best}\n")
    plan.runs[0].results("valid").unlink()
    assert "a: 1 of 2 seeds" in write_tables(plan, tmp_path)


def test_what_runs_warned_of_is_told_once(write: Write, tmp_path: Path) -> None:
    plan = scored(write, tmp_path / "out", GRID)
    line = "2026-01-31 10:20:30 | WARNING | skill_plugin.tasks.new_model | random weights are frozen\n"
    for run in plan.runs[:3]:
        run.folder.mkdir(exist_ok=True, parents=True)
        run.log.write_text(f"$ train\n{line.replace('WARNING', 'INFO')}{line}{line}", encoding="utf-8")
    assert write_tables(plan, tmp_path / "out") == ["a,lr=1/seed1 and 2 more: random weights are frozen"]


def test_another_score_may_choose(write: Write, tmp_path: Path) -> None:
    text = GRID + "choose: nli-en_accuracy\ntable: {rows: [runs]}\n"
    assert [row.chosen for row in make_rows(scored(write, tmp_path, text))] == ["lr 2", "lr 1"]
    with pytest.raises(InputError, match="choose: no score 'nli-en_f1'; expected one of: avg, "):
        make_rows(scored(write, tmp_path, text.replace("en_accuracy", "en_f1")))


def test_of_a_cost_the_lowest_is_chosen(write: Write, tmp_path: Path) -> None:
    text = GRID + "choose: nli-en_perplexity\ntable: {rows: [runs], seeds: best}\n"
    plan = scored(write, tmp_path, text, "masked_lm", "perplexity")
    # of a: lr 1 has 0.51 and 0.52, lr 4 0.54 and 0.58; of b: lr 2 0.52 and 0.54
    assert [row.chosen for row in make_rows(plan)] == ["lr 1, seed 1", "lr 2, seed 1"]
    assert not any("--maximize-best-checkpoint-metric" in run.words for run in plan.runs)
    for choose, higher in (("avg", True), ("nli-en_accuracy", True), ("nli-en_loss", False), ("nli-en_ece", False)):
        made = make_plan(read_sweep_file(write(f"{GRID}choose: {choose}\n")), tmp_path, 1)
        assert {"--maximize-best-checkpoint-metric" in run.words for run in made.runs} == {higher}


def test_what_is_done_is_shown(write: Write, tmp_path: Path) -> None:
    plan = scored(write, tmp_path, GRID + "table: {baseline: 'a, lr 1'}\n")
    plan.runs[0].results("test").unlink()
    for run in plan.runs:
        if run.words["--lr"] == ("4",):
            run.results("valid").unlink()
    no_pairs = "no differences from a, lr 1: the rows have other seeds"
    assert write_tables(plan, tmp_path) == ["a, lr 1: 1 of 2 seeds", no_pairs]
    assert list(json.loads((tmp_path / "table.json").read_text())["rows"]) == [
        f"{name}, lr {lr}" for name in "ab" for lr in (1, 2)
    ]


def test_the_plot_goes_along_an_axis(write: Write, tmp_path: Path) -> None:
    plan = scored(write, tmp_path / "out", GRID)
    panels = along(make_rows(plan, every=True), "lr", "valid")
    assert [panel.title for panel in panels] == ["avg", "nli-en (accuracy)", "reviews-en (accuracy)"]
    assert {name: list(line) for name, line in panels[0].lines.items()} == {"a": ["1", "2", "4"], "b": ["1", "2", "4"]}
    assert panels[1].lines["a"]["2"].values == pytest.approx((0.72, 0.74))
    assert draw_sweep(plan, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert not draw_sweep(scored(write, tmp_path / "one", "options: {arch: dense_tiny, lr: 1, dropout: 0.1}"), tmp_path)


def test_the_plot_follows_runs(write: Write, tmp_path: Path) -> None:
    """Scores on valid from the logs, of updates that all seeds have; a run that went on counts once."""
    plan = scored(write, tmp_path / "out", GRID + "plot: updates\n")
    for run in plan.runs:
        validated = [
            {"event": "valid", "update": at, "values": {"avg": at / 100 + run.seed, "nli-en/accuracy": at / 10}}
            for at in (10, 20, *([30] if run.seed == 1 else []))
        ]
        lines = [{"event": "start", "update": 0}, *validated, {"event": "start", "update": 10}, validated[1]]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (run.folder / "log.jsonl").write_text(text, encoding="utf-8")
    panels = {panel.title: panel.lines for panel in courses(make_rows(plan, every=True))}
    assert list(panels) == ["avg", "nli-en (accuracy)"]
    assert {at: spread.values for at, spread in panels["avg"]["a, lr 1"].items()} == {
        "10": (1.1, 2.1), "20": (1.2, 2.2),
    }  # fmt: skip
    assert draw_sweep(plan, tmp_path / "plot.png")
