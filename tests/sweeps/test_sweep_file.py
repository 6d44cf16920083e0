"""Sweep files: what they say, and their faults, each one line with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.sweeps.read_sweep_file import read_sweep_file
from skill_plugin.sweeps.sweep_file import SweepFile

HEAD = "corpora: corpora.yaml\ndata: data\n"


def read(folder: Path, text: str) -> SweepFile:
    (folder / "alpha.yaml").write_text(HEAD + text, encoding="utf-8")
    return read_sweep_file(folder / "alpha.yaml")


def test_what_a_file_says(tmp_path: Path) -> None:
    file = read(
        tmp_path,
        """encoder: ~/encoder.pt
options: {lr: 5e-5, max_update: 30, fp16: true, bf16: no, update-freq: [1, 2], train-rows: {a: 10%, b: 3}}
runs: {dense: {arch: dense_tiny}, "+ more": {arch: ca_mtl_tiny, lr: 1e-3}, plain: }
grid: {sampling-alpha: [0, 0.50, 1e-3], fp16: [true, false], schedule: {short: {max-update: 3}}}
seeds: [3, 1]
""",
    )
    words = {name: given.words for name, given in file.options.items()}
    assert words == {
        "--corpora": (str(tmp_path / "corpora.yaml"),), "data": (str(tmp_path / "data"),),
        "--init-from": (str(Path.home() / "encoder.pt"),), "--lr": ("5e-5",), "--max-update": ("30",), "--fp16": (),
        "--bf16": None, "--update-freq": ("1,2",), "--train-rows": ("a=10%,b=3",),
    }  # fmt: skip
    assert [(axis.name, [choice.label for choice in axis.choices]) for axis in file.axes] == [
        ("runs", ["dense", "+ more", "plain"]),
        ("sampling-alpha", ["0", "0.50", "1e-3"]),
        ("fp16", ["yes", "no"]),
        ("schedule", ["short"]),
    ]
    assert (file.seeds, file.choose, file.evaluate, file.folder) == ((3, 1), "avg", ("valid",), tmp_path / "alpha")


def test_stages_start_from_those_above(tmp_path: Path) -> None:
    file = read(
        tmp_path,
        """grid: {sampling-alpha: [0, 1]}
stages:
  joint: {grid: {lr: [1, 2]}, checkpoint: last}
  finetune: {init_from: {stage: joint}, each: corpus, grid: {dropout: [0.1]}}
""",
    )
    joint, finetune = file.stages
    assert [axis.name for axis in file.axes_of(finetune)] == ["sampling-alpha", "lr", "dropout"]
    assert (joint.checkpoint, finetune.checkpoint, finetune.each, finetune.start) == ("last", "best", True, "joint")


def test_stages_whose_checkpoints_are_deleted(tmp_path: Path) -> None:
    stages = "stages: {joint: {}, finetune: {init_from: {stage: joint}}}\n"
    for written, found in (("true", {"joint", "finetune"}), ("false", set()), ("[finetune]", {"finetune"})):
        assert read(tmp_path, f"{stages}discard_checkpoints: {written}").discard == found
    assert read(tmp_path, "discard_checkpoints: true").discard == {""}


def test_options_may_be_a_command_line(tmp_path: Path) -> None:
    file = read(tmp_path, "options: --lr 1e-4 --fp16 --adam-betas '(0.9, 0.98)' -a=dense_tiny --init-from e.pt")
    words = {name: given.words for name, given in file.options.items()}
    assert words == {
        "--corpora": (str(tmp_path / "corpora.yaml"),), "data": (str(tmp_path / "data"),), "--lr": ("1e-4",),
        "--fp16": (), "--adam-betas": ("(0.9, 0.98)",), "--arch": ("dense_tiny",),
        "--init-from": (str(tmp_path / "e.pt"),),
    }  # fmt: skip


def test_variables_are_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPDATES", "7")
    monkeypatch.delenv("SEEDS", raising=False)
    file = read(
        tmp_path, "options: {max-update: '${UPDATES:-30}', arch: 'dense_${SIZE:-tiny}'}\nseeds: ${SEEDS:-[1, 2]}\n"
    )
    assert file.options["--max-update"].words == ("7",)
    assert file.options["--arch"].words == ("dense_tiny",)
    assert file.seeds == (1, 2)
    with pytest.raises(InputError, match=r"alpha.yaml:3: the environment variable NOT_SET is not set"):
        read(tmp_path, "options: {lr: '${NOT_SET}'}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: [1]", "3: unknown key 'seed'; did you mean 'seeds'?"),
        ("seeds: 3", "3: seeds: expected a list of numbers, as [1, 2, 3], not 3"),
        ("seeds: [1, 2, 1]", "3: seeds: names 1 twice"),
        ("seeds: [1, -1]", "3: seeds: expected whole numbers from 0, not -1"),
        ("options:\n  lr: {a: {b: 1}}", "4: --lr: expected a value, not a mapping"),
        ("options:\n  lr: 1\n  seed: 3", "5: --seed cannot be given: say it with 'seeds'"),
        ("options: {max_update: 1, max-update: 2}", "3: --max-update is given twice, first in line 3"),
        ("options: lr 1", "3: options: expected options of fairseq-train, as --lr 1e-4, not 'lr'"),
        ("options: --seed 1", "3: --seed cannot be given: say it with 'seeds'"),
        ("grid: {lr: 3}", "3: lr: expected a list of values, or named sets of options, not 3"),
        ("grid: {lr: []}", "3: --lr: expected one value or more"),
        ("grid:\n  lr: [1,\n       1]", "5: --lr: 1 is there twice"),
        ("grid: {lr: [1]}\nstages: {joint: {grid: {lr: [2]}}}", "4: stage 'joint' has 'lr' twice"),
        ("runs: {a: 3}", "3: a: expected options, as {lr: 1e-4}, not 3"),
        ("evaluate: [dev]", "3: evaluate: 'dev' is no split; expected one of: train, valid, test"),
        ("grid: {lr: [1]}\ntable: {rows: [lrs]}", "4: rows: 'lrs' is nothing that runs differ in; did you mean 'lr'?"),
        (
            "grid: {lr: [1]}\ntable: {rows: []}\nevaluate: test",
            "4: table: chooses by scores on valid, which 'evaluate'",
        ),
        ("table: {seeds: bset}", "3: seeds: 'bset': unknown; did you mean 'best'?"),
        ("plot: lr", "3: plot: 'lr' is nothing that runs differ in; expected one of: updates"),
        ("each: 3", "3: each: expected 'corpus', or a list of corpora, not 3"),
        ("stages: {a: {}}\ndiscard_checkpoints: [b]", "4: discard_checkpoints: 'b' is no stage; expected one of: a"),
        ("discard_checkpoints: 3", "3: discard_checkpoints: expected true, false, or a list of stages, not 3"),
        ("stages: {}", "3: stages: expected one stage or more"),
        ("stages:\n  a: {checkpont: last}", "4: stage a: unknown key 'checkpont'; did you mean 'checkpoint'?"),
        ("stages:\n  a: {init_from: {stage: b}}\n  b: {}", "4: init_from: 'b' is not a stage above 'a'"),
        ("stages:\n  a: {init_from: x.pt}", "4: init_from: expected {stage: NAME}; a file is an option, init-from"),
        (
            "stages:\n  a: {each: corpus}\n  b: {init_from: {stage: a}}",
            "5: init_from: 'a' trains each corpus by itself; expected one that makes one model",
        ),
        ("[", "3: not YAML: "),
    ],
)
def test_faults_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path / 'alpha.yaml'}:{message}")
    assert "\n" not in str(error.value)


def test_inputs_are_needed(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("corpora: x.yaml\n")
    with pytest.raises(InputError, match=r"a.yaml:1: has no 'data'"):
        read_sweep_file(tmp_path / "a.yaml")
    with pytest.raises(InputError, match="no such file or directory"):
        read_sweep_file(tmp_path / "b.yaml")
