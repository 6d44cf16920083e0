"""The two-stage protocol: what is to be run, whole runs, their table, stops, and refusals."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.errors import InputError
from tests import warm_process

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "two_stage.py"
sys.path.append(str(SCRIPT.parent))
import two_stage  # noqa: E402

SIZES = {"rte": 2490, "mrpc": 3668, "mnli": 392702}


def protocol(**changes: Any) -> two_stage.Protocol:
    usual: dict[str, Any] = {
        "arch": "mt_tag_small", "single_arch": "dense_small", "mixture": ("rte", "mrpc", "cola", "mnli"),
        "sizes": SIZES, "seeds": (1, 2), "updates": 30_000, "max_epoch": 10, "patience": 3,
    }  # fmt: skip
    return two_stage.Protocol(**usual | changes)


def test_every_run_of_the_protocol() -> None:
    runs = two_stage.plan(protocol(seeds=(7,)))
    assert [run.name for run in runs] == [
        "seed7/single/rte", "seed7/single/mrpc", "seed7/single/mnli", "seed7/joint",
        "seed7/finetune/rte", "seed7/finetune/mrpc", "seed7/finetune/mnli",
    ]  # fmt: skip
    assert {run.arch for run in runs if run.stage == "single"} == {"dense_small"}
    assert {run.arch for run in runs if run.stage != "single"} == {"mt_tag_small"}
    joint = runs[3]
    assert joint.corpora == ("rte", "mrpc", "cola", "mnli")
    assert joint.options["--max-update"] == ("30000",)
    assert "--patience" not in joint.options
    assert {run.checkpoint for run in runs if run is not joint} == {"checkpoint_best.pt"}
    assert joint.checkpoint == "checkpoint_last.pt"
    assert [run.start for run in runs] == [None] * 4 + [joint] * 3
    assert {run.options["--patience"] for run in runs if run is not joint} == {("3",)}
    assert len(two_stage.plan(protocol())) == 14
    assert {run.stage for run in two_stage.plan(protocol(updates=None))} == {"single"}


def test_which_checkpoint_counts_and_what_is_scored_with_a_corpus() -> None:
    asked = protocol(seeds=(1,), patience=0, joint_best=True, followers={"mnli": ("mnli-mm",)})
    single, finetune = (
        [run for run in two_stage.plan(asked) if run.stage == stage and run.corpora[0] == "mnli"]
        for stage in ("single", "finetune")
    )
    for (run,) in (single, finetune):
        assert run.corpora == ("mnli", "mnli-mm") and run.name == f"seed1/{run.stage}/mnli"
        assert run.checkpoint == "checkpoint_last.pt" and "--disable-validation" in run.options
        assert "--patience" not in run.options
    assert finetune[0].start is not None and finetune[0].start.checkpoint == "checkpoint_best.pt"


def test_the_schedule_ends_where_the_run_does() -> None:
    """A tenth of warm-up, then down to 0 at the last update of the last epoch (A.3.2)."""
    rte, _, mnli, joint, *_ = two_stage.plan(protocol())
    assert (rte.options["--total-num-update"], rte.options["--warmup-updates"]) == (("780",), ("78",))  # 10 x ⌈2490/32⌉
    assert mnli.options["--total-num-update"] == ("122720",)
    assert (joint.options["--total-num-update"], joint.options["--warmup-updates"]) == (("30000",), ("3000",))

    def total(text: str, **changes: Any) -> tuple[str, ...] | None:
        common = two_stage.parse_options(text.split(), "here")
        return two_stage.plan(protocol(common=common, **changes))[0].options.get("--total-num-update")

    assert total("--batch-size 16 --update-freq 2", ranks=4) == ("200",)  # 10 x ⌈2490/128⌉
    assert total("--max-sentences=83 --max-epoch 2") == ("60",)
    assert total("--max-update 50") == ("50",)
    assert total("--total-num-update 9") == ("9",)
    assert total("--lr-scheduler fixed") is None


def test_later_options_win_and_expert_options_keep_out_of_dense_models() -> None:
    parse = two_stage.parse_options
    runs = two_stage.plan(
        protocol(
            common=parse(["--lr", "1e-4", "--autocast", "bf16"], ""),
            model=parse(["--experts", "8"], ""),
            of_stage={"finetune": parse(["--lr", "2e-5", "--end-learning-rate", "-1"], "")},
        )
    )
    single, joint, finetune = runs[0].options, runs[3].options, runs[4].options
    assert [options["--lr"] for options in (single, joint, finetune)] == [("1e-4",), ("1e-4",), ("2e-5",)]
    assert {options["--autocast"] for options in (single, joint, finetune)} == {("bf16",)}
    assert "--experts" not in single
    assert joint["--experts"] == finetune["--experts"] == ("8",)
    assert finetune["--end-learning-rate"] == ("-1",)
    (same, *_) = two_stage.plan(protocol(single_arch="mt_tag_small", model=parse(["--experts", "8"], "")))
    assert same.options["--experts"] == ("8",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--seed 3", "here: --seed cannot be given: it is an option of two_stage.py, as --seeds"),
        ("--no-last-checkpoints", "here: --no-last-checkpoints cannot be given: stopped runs go on from there"),
        ("5 --lr 3", "here: '5': expected an option of fairseq-train, such as --lr 1e-4"),
    ],
)
def test_options_that_are_not_free(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        two_stage.parse_options(text.split(), "here")
    assert str(error.value) == message


def test_small_corpora_are_those_with_few_examples() -> None:
    assert two_stage.small_corpora(None, SIZES) == ["rte", "mrpc"]  # at most 10k (4.5)
    assert two_stage.small_corpora(None, {"rte": 9, "mrpc": 10_000}) == []  # the mean over all says it already
    assert two_stage.small_corpora(["mnli"], SIZES) == ["mnli"]
    with pytest.raises(InputError, match="'mprc' is not a corpus of the table; did you mean 'mrpc'"):
        two_stage.small_corpora(["mprc"], SIZES)


def test_a_joint_run_may_score_what_it_does_not_train_on(made: Any, tmp_path: Path) -> None:
    raw = made.corpora.parent / "raw"
    text = f"""languages: [en]
skills: {{generic: on}}
corpora:
  trained: {{kind: classification, language: en, skills: [generic], format: tsv, quoting: csv,
            columns: {{text_a: premise, text_b: hypothesis, label: label}}, train: {raw}/nli-en.train.tsv}}
  scored: {{as: trained, language: en, valid: {raw}/nli-en.valid.tsv}}
"""
    (tmp_path / "corpora.yaml").write_text(text, encoding="utf-8")
    inputs = [tmp_path / "corpora.yaml", tmp_path / "data"]
    tokenizer = made.corpora.parent / "sentencepiece.model"
    prepare = [sys.executable, "-m", "skill_plugin", "prepare", *inputs, "--tokenizer", tokenizer]
    subprocess.run(prepare, check=True, capture_output=True)
    chosen = two_stage.choose(inputs[1], inputs[0], None, None, "valid", alone=False)
    assert (chosen.mixture, chosen.sizes) == (("trained", "scored"), {"scored": 0})
    assert chosen.left_out == ["trained has no valid split"]
    assert two_stage.small_corpora(None, chosen.sizes) == []
    with pytest.raises(InputError, match="no corpus to train and score by itself: trained has no valid split; scored "):
        two_stage.choose(inputs[1], inputs[0], None, None, "valid", alone=True)


def test_differences_are_named() -> None:
    assert two_stage.difference({"--lr": "1"}, {"--lr": "1"}) == ""
    assert two_stage.difference({"--lr": "1"}, {"--lr": "2"}) == "--lr was 1, now 2"
    assert two_stage.difference({"--fp16": ""}, {}) == "--fp16 was given, now it is not"
    assert two_stage.difference({}, {"--fp16": ""}) == "--fp16 was not given, now it is"
    assert two_stage.difference({}, {"--lr": "2"}) == "--lr was not given, now it is 2"
    assert two_stage.difference({"--corpora": "0" * 16}, {"--corpora": "a" * 16}) == "--corpora is another than it was"


def test_the_line_that_says_why() -> None:
    log = 'Traceback (most recent call last):\n  File "x"\ntorch.OutOfMemoryError: no room\nleaked semaphore\n\n'
    assert two_stage.error_line(log) == "torch.OutOfMemoryError: no room"
    assert two_stage.error_line("| INFO | begin\n--experts 9: expected less\n") == "--experts 9: expected less"
    assert two_stage.error_line("") == "it said nothing"


# whole runs

STEPS = 23  # of the joint run: four and a half epochs of the three corpora


def command(made: Any, folder: Path, *more: object, common: tuple[object, ...] = ()) -> list[str]:
    """Two of three corpora are in the table; two epochs alone, with one process."""
    arguments: list[object] = [
        sys.executable, SCRIPT, folder, made.data, "--corpora", made.corpora, "--arch", "mt_tag_tiny", "--init-from",
        made.encoder, "--only-corpora", "nli-en,reviews-en,similarity-en", "--targets", "similarity-en,nli-en",
        "--updates", STEPS, "--max-epoch", 2, "--patience", 1, "--device", "cpu", "--model=--experts 3",
        "--joint=--batch-size 24 --save-interval-updates 4", *more, "--", "--batch-size", 8, "--lr", "1e-3",
        "--num-workers", 0, "--log-interval", 1, "--log-format", "json", *common,
    ]  # fmt: skip
    return [str(argument) for argument in arguments]


def call(made: Any, folder: Path, *more: object, **where: Any) -> tuple[int, str, str]:
    done = warm_process.run(command(made, folder, *more, **where), capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def weights(checkpoint: Path) -> dict[str, torch.Tensor]:
    content: dict[str, Any] = torch.load(checkpoint, weights_only=True)
    assert "last_optimizer_state" not in content
    model: dict[str, torch.Tensor] = content["model"]
    return model


@pytest.fixture(scope="module")
def finished(made: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A protocol that was gone through, and what it printed."""
    folder = tmp_path_factory.mktemp("runs")
    status, out, err = call(made, folder)
    assert (status, err) == (0, ""), out
    return folder, out


@pytest.mark.slow
@pytest.mark.long
def test_one_table_of_all_stages(finished: tuple[Path, str]) -> None:
    folder, out = finished
    table = json.loads((folder / "table.json").read_text())
    assert list(table["metrics"].items()) == [("nli-en", "accuracy"), ("similarity-en", "pearson")]
    assert list(table["rows"]) == ["Single", "Joint", "Joint + fine-tuning"]
    assert (table["arch"], table["single_arch"], table["seeds"]) == ("mt_tag_tiny", "dense_tiny", [1])
    joint = json.loads((folder / "seed1/joint/results.json").read_text())
    assert joint["corpora"].keys() == {"nli-en", "reviews-en", "similarity-en"}
    means = {}
    for stage, row in zip(("single", "joint", "finetune"), table["rows"].values(), strict=True):
        for corpus in table["metrics"]:
            file = folder / "seed1" / stage / ("" if stage == "joint" else corpus) / "results.json"
            value = json.loads(file.read_text())["corpora"][corpus]["value"]
            assert row["corpora"][corpus]["values"] == [value]
            means.setdefault(stage, []).append(value)
        assert row["all"]["mean"] == pytest.approx(sum(means[stage]) / 2)
    lines = (folder / "table.md").read_text().splitlines()
    assert lines[0] == "**mt_tag_tiny (Single: dense_tiny), seed 1**"
    assert lines[2] == "|  | nli-en (accuracy) | similarity-en (pearson) | all |"
    assert [line.split(" | ")[0] for line in lines[4:7]] == ["| Single", "| Joint", "| Joint + fine-tuning"]
    assert f"{100 * means['single'][0]:.1f}" in lines[4]
    assert "[5/5] seed1/finetune/similarity-en" in out


@pytest.mark.slow
@pytest.mark.long
def test_each_stage_starts_and_ends_where_it_should(finished: tuple[Path, str], made: Any) -> None:
    folder, _ = finished
    checkpoints = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.pt*"))
    assert checkpoints == [
        "seed1/finetune/nli-en/checkpoint_best.pt", "seed1/finetune/similarity-en/checkpoint_best.pt",
        "seed1/joint/checkpoint_last.pt", "seed1/single/nli-en/checkpoint_best.pt",
        "seed1/single/similarity-en/checkpoint_best.pt",
    ]  # fmt: skip
    joint = torch.load(folder / "seed1/joint/checkpoint_last.pt", weights_only=True)
    assert joint["optimizer_history"][-1]["num_updates"] == STEPS
    log = (folder / "seed1/finetune/nli-en/train.log").read_text()
    assert f"--init-from {folder}/seed1/joint/checkpoint_last.pt: took" in log
    assert "fresh: nothing" in log
    single = (folder / "seed1/single/nli-en/train.log").read_text()
    assert f"--init-from {made.encoder}: took" in single
    assert "experts" not in " ".join(weights(folder / "seed1/single/nli-en/checkpoint_best.pt"))
    names = weights(folder / "seed1/finetune/nli-en/checkpoint_best.pt")
    assert {name.split(".experts.")[1][0] for name in names if ".experts." in name} == {"0", "1", "2"}
    # the best of what was validated
    valid = [json.loads(line[line.index("{") :]) for line in single.splitlines() if '"valid_avg"' in line]
    value = json.loads((folder / "seed1/single/nli-en/results.json").read_text())["avg"]
    assert value == pytest.approx(max(float(entry["valid_avg"]) for entry in valid), abs=1e-6)


@pytest.mark.slow
@pytest.mark.long
def test_what_is_done_is_skipped_and_other_options_are_refused(finished: tuple[Path, str], made: Any) -> None:
    folder, _ = finished
    files = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.name != ".lock"}
    status, out, err = call(made, folder, common=("--num-workers", 1))  # changes no result
    assert (status, err) == (0, "")
    assert "5 of 5 runs are done already" in out
    for path, time_ in files.items():
        if path.parent != folder and path != folder:
            assert path.stat().st_mtime_ns == time_, path
    for more, common, message in (
        ((), ("--lr", "2e-3"), "seed1/single/nli-en: begun with other options: --lr was 1e-3, now 2e-3"),
        (("--updates", 24), (), "seed1/joint: begun with other options: --max-update was 23, now 24"),
        (("--model=--experts 4", "--stages", "finetune"), (), "seed1/joint: begun with other options: --experts was 3"),
        (("--only-corpora", "similarity-en,nli-en"), (), "seed1/joint: begun with other options: corpora was nli-en,"),
    ):
        status, out, err = call(made, folder, *more, common=common)
        assert (status, out) == (1, "")
        assert err.startswith(f"{folder}/{message}")
        assert err.count("\n") == 1
    changed = made.corpora.with_name("changed.yaml")
    changed.write_text("# a remark\n" + made.corpora.read_text())
    status, out, err = call(made, folder, "--corpora", changed, "--dry-run")
    assert (status, out, err) == (0, "", "")
    changed.write_text(made.corpora.read_text().replace("[negative, positive]", "[positive, negative]"))
    status, out, err = call(made, folder, "--corpora", changed)
    assert (status, out) == (1, "")
    assert "--corpora is another than it was" in err


@pytest.mark.slow
@pytest.mark.long
def test_a_stopped_run_goes_on_to_the_same_weights(finished: tuple[Path, str], made: Any, tmp_path: Path) -> None:
    """Stopped in the middle of joint training, by Ctrl-C; a second start waits for the first to be gone."""
    reference, _ = finished
    shutil.copytree(reference / "seed1/single", tmp_path / "seed1/single")
    joint = ["--stages", "joint"]
    process = subprocess.Popen(  # no fork, so that training begins seconds after its log
        command(made, tmp_path, *joint), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **warm_process.ONE_THREAD},
    )  # fmt: skip
    folder = tmp_path / "seed1/joint"

    def wait_for(file: Path) -> None:
        until = time.monotonic() + 60
        while not file.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)

    wait_for(folder / "train.log")
    status, _, err = call(made, tmp_path, *joint)
    at_work = f"another two_stage.py, or a training that it began, is at work here (process {process.pid})"
    assert (status, err) == (1, f"{tmp_path}/seed1: {at_work}; wait until it has ended\n")
    wait_for(folder / "checkpoint_last.pt")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("the run was over before it could be stopped")
    assert (process.returncode, err.strip()) == (130, "stopped; the same command goes on from here")
    assert not (folder / "results.json").exists()
    status, out, err = call(made, tmp_path, *joint)
    assert (status, err) == (0, ""), out
    log = (folder / "train.log").read_text()
    assert "Loaded checkpoint" in log
    ours, theirs = (weights(place / "seed1/joint/checkpoint_last.pt") for place in (tmp_path, reference))
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in ours.items())
    # the table shows the stages that are done
    table = json.loads((tmp_path / "table.json").read_text())
    assert list(table["rows"]) == ["Single", "Joint"]


@pytest.mark.slow
@pytest.mark.long
def test_a_run_that_fails_is_named_with_its_reason(made: Any, tmp_path: Path) -> None:
    status, _, err = call(made, tmp_path, "--stages", "joint", "--model=--experts-per-token 9")
    log = tmp_path / "seed1/joint/train.log"
    assert (status, err) == (
        1,
        f"seed1/joint failed: --experts-per-token 9: expected 1 to 4, the experts of a layer; see {log}\n",
    )
    assert not (tmp_path / "table.md").exists()
    status, _, err = call(made, tmp_path / "other", "--stages", "finetune")
    assert status == 1
    assert err.startswith("seed1/finetune/nli-en starts from seed1/joint, which is not done: add joint to --stages")


def test_what_does_not_fit_is_one_line(made: Any, tmp_path: Path) -> None:
    for more, message in (
        (("--targets", "reviews"), "--targets: 'reviews' is not a corpus of the mixture; did you mean 'reviews-en'"),
        (("--only-corpora", "rte"), f"{made.corpora}: unknown corpus 'rte'"),
        (("--updates", 0), "--updates 0: expected at least 1"),
        (("--small", "reviews-en"), "--small: 'reviews-en' is not a corpus of the table"),
        (("--init-from", "nothing.pt"), "nothing.pt: --init-from: no such file"),
        (("--split", "test"), "nli-en has no test split"),
        (("--joint=--seed 4",), "--joint: --seed cannot be given"),
    ):
        status, out, err = call(made, tmp_path / "runs", *more)
        assert (status, out) == (1, "")
        assert err.startswith(message)
        assert err.count("\n") == 1
    assert not (tmp_path / "runs").exists()
    (tmp_path / "foreign/seed1/joint").mkdir(parents=True)
    (tmp_path / "foreign/seed1/joint/checkpoint_last.pt").touch()
    status, _, err = call(made, tmp_path / "foreign")
    assert (status, err.count("\n")) == (1, 1)
    assert "holds a run that two_stage.py did not begin" in err
