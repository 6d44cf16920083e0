"""Which runs there are, with which options, and where."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import json_text, read_json, write_json
from skill_plugin.sweeps.check_options import check_splits
from skill_plugin.sweeps.folder_names import folder_name
from skill_plugin.sweeps.plan import Plan, make_plan
from skill_plugin.sweeps.planned_run import PlannedRun
from skill_plugin.sweeps.read_sweep_file import read_sweep_file
from skill_plugin.sweeps.record import begun, difference, note, record
from tests.sweeps.conftest import Write


def plan(path: Path) -> Plan:
    return make_plan(read_sweep_file(path), Path("out"), 1)


def test_an_encoder_that_is_not_there_is_named_with_its_line(write: Write, tmp_path: Path) -> None:
    file = write("encoder: none\noptions: {arch: dense_tiny}")
    with pytest.raises(InputError, match=f"^{file}:3: --init-from: no such file: {tmp_path}/none$"):
        plan(file)


def test_runs_are_the_product_of_axes_and_seeds(write: Write) -> None:
    found = plan(write("options: {arch: dense_tiny, lr: 3}\ngrid: {lr: [1, 2], dropout: [0.1]}\nseeds: [1, 2]")).runs
    assert [str(run.folder) for run in found] == [
        f"out/lr={lr},dropout=0.1/seed{seed}" for seed in (1, 2) for lr in (1, 2)
    ]
    assert [run.words["--lr"] for run in found] == [("1",), ("2",)] * 2
    assert {run.words["--dropout"] for run in found} == {("0.1",)}
    first = found[0].words
    assert (first["--best-checkpoint-metric"], first["--maximize-best-checkpoint-metric"]) == (("avg",), ())


def test_of_two_values_the_nearer_one_counts(write: Write, made: Any) -> None:
    """Defaults, the file, axes of all, the stage, its own axes."""
    found = plan(
        write("""
        options: {arch: dense_tiny, lr: 1, dropout: 0.1, optimizer: adam, log-interval: 7, batch-size: 8}
        grid: {arch: [dense_tiny, ca_mtl_tiny]}
        stages:
          joint: {options: {lr: 2, max-update: 5}, grid: {weight-decay: [0.1, 0.2]}, checkpoint: last}
          finetune:
            init_from: {stage: joint}
            each: [nli-en, reviews-en]
            options: {max-epoch: 1, weight-decay: null}
          single: {each: [nli-en], options: {arch: dense_tiny}}
        """)
    ).runs
    joint, finetune, single = ([run for run in found if run.stage == name] for name in ("joint", "finetune", "single"))
    assert (len(joint), len(finetune), len(single)) == (4, 8, 2)
    assert {run.words["--lr"] for run in joint} == {("2",)}
    assert {run.words["--lr"] for run in finetune} == {("1",)}  # options of a stage are its own
    assert {run.words["--optimizer"] for run in found} == {("adam",)}
    assert all("--weight-decay" not in run.words for run in finetune)
    assert {run.words["--arch"] for run in single} == {("dense_tiny",)}
    for run in finetune:
        assert run.start is not None
        assert run.words["--init-from"] == (str(run.start.folder / "checkpoint_last.pt"),)
        assert run.start.point == run.point
        assert run.words["--only-corpora"] == (run.corpus,)
        assert run.words["--arch"] == run.start.words["--arch"]
    assert str(finetune[1].folder) == "out/arch=dense_tiny,weight-decay=0.1/seed1/finetune/reviews-en"


def test_each_corpus_that_can_be_trained_by_itself(write: Write) -> None:
    found = plan(write("each: corpus\noptions: {arch: dense_tiny}"))
    assert "nli-en" in {run.corpus for run in found.runs}
    with pytest.raises(InputError, match=r"each: unknown corpus 'nli-em'; did you mean "):
        plan(write("each: [nli-em]"))


def test_two_runs_of_one_folder_are_refused(write: Write) -> None:
    with pytest.raises(InputError, match=r"a b and a/b would be in one folder, out/a_b/seed1; rename one"):
        plan(write("runs: {a b: {lr: 1}, a/b: {lr: 2}}"))
    assert len(folder_name("x" * 300)) < 120
    assert folder_name("x" * 300) != folder_name("x" * 301)


def test_what_a_result_depends_on(write: Write) -> None:
    def first(text: str) -> dict[str, str]:
        return record(plan(write(text)).runs[0])

    before = first("options: {lr: 1, arch: dense_tiny, num-workers: 0}")
    assert difference(before, first("options: {lr: 1, arch: dense_tiny, num-workers: 2}")) == ""
    assert difference(before, first("options: {lr: 2, arch: dense_tiny}")) == "--lr was 1, now 2"
    assert difference({"--fp16": ""}, {}) == "--fp16 was given, now it is not"
    assert difference({}, {"--fp16": ""}) == "--fp16 was not given, now it is"
    assert difference({}, {"--lr": "2"}) == "--lr was not given, now it is 2"
    assert difference({"--corpora": "0" * 16}, {"--corpora": "a" * 16}) == "--corpora is another than it was"


def test_without_last_checkpoints_no_optimizer_state_is_saved_and_the_result_is_the_same(write: Write) -> None:
    plain, least, both = (
        plan(write(f"options: {{arch: dense_tiny{more}}}")).runs[0]
        for more in ("", ", no-last-checkpoints: true", ", no-last-checkpoints: true, no-save-optimizer-state: true")
    )
    assert "--no-save-optimizer-state" not in plain.words
    assert least.words == both.words
    assert least.words.keys() - plain.words.keys() == {"--no-last-checkpoints", "--no-save-optimizer-state"}
    assert difference(record(plain), record(least)) == ""


def test_runs_go_on_whatever_copies_they_kept_when_they_were_begun(write: Write, tmp_path: Path) -> None:
    """Also those that start from one which an earlier version noted with that option."""
    text = """
    options: {arch: dense_tiny}
    stages:
      joint: {options: {max-update: 5, keep-interval-updates: KEPT}}
      finetune: {init_from: {stage: joint}, each: [nli-en]}
    """

    def runs(kept: int, updates: int = 5) -> tuple[PlannedRun, ...]:
        file = write(text.replace("KEPT", str(kept)).replace("5", str(updates)))
        return make_plan(read_sweep_file(file), tmp_path / "out", 1).runs

    joint, finetune = runs(1)
    note(joint, trained=True)
    stored = joint.folder / "run.json"
    content = read_json(stored)
    content["record"]["--keep-interval-updates"] = "1"
    write_json(stored, content)
    as_noted_then = hashlib.sha256(json_text(content["record"]).encode()).hexdigest()[:16]
    assert record(finetune)["--init-from"] == as_noted_then
    note(finetune, trained=False)
    assert [begun(run) for run in runs(0)] == [True, False]
    for run in runs(0, updates=6):
        with pytest.raises(InputError, match="begun with other options"):
            begun(run)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("options: {no-last-checkpoints: true}\ncheckpoint: last", "the last checkpoint is scored"),
        ("options: {no-last-checkpoints: true, disable-validation: true}", "the last checkpoint is scored"),
        ("options: {no-save-optimizer-state: true}", "--no-save-optimizer-state needs --no-last-checkpoints"),
    ],
)
def test_a_checkpoint_that_is_needed_is_written(write: Write, text: str, message: str) -> None:
    file = write(text)
    with pytest.raises(InputError, match=f"^{file}:3: .*{message}"):
        plan(file)


def test_a_split_that_no_corpus_has_is_refused_before_anything_runs(write: Write) -> None:
    file = write("options: {arch: dense_tiny}\nevaluate: [valid, test]")
    with pytest.raises(InputError, match=r"sweep.yaml: evaluate: no corpus of the runs has a test split in "):
        check_splits(plan(file).runs, file)
    check_splits(plan(write("options: {arch: dense_tiny}")).runs, file)
