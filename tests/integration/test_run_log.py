"""``log.jsonl`` of whole runs: what was shown, and what still counts after a stop."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fairseq.logging import progress_bar as bars

from skill_plugin.report.run_log import read_run_log
from skill_plugin.report.time_spent import TimeSpent
from tests.integration.conftest import execute

pytestmark = pytest.mark.slow


def flat(line: dict[str, Any], prefix: str) -> dict[str, Any]:
    """A line's numbers under the names that fairseq has for them."""
    return {prefix + name.replace("/", "_"): value for name, value in line["values"].items()}


def test_it_holds_all_that_is_logged(trained: Any, arguments: Callable[..., list[str]]) -> None:
    start, *lines, end = read_run_log(trained.folder / "log.jsonl")
    for event, key, prefix in (
        ("train", "ups", ""),
        ("epoch", "train_loss", "train_"),
        ("valid", "valid_avg", "valid_"),
    ):
        found = [line for line in lines if line["event"] == event]
        shown = trained.log(key)
        assert len(found) == len(shown) > 0
        for line, entry in zip(found, shown, strict=True):
            assert line["epoch"] == entry.pop("epoch")
            assert line["update"] == int(float(entry[f"{prefix}num_updates"]))
            entry.pop("update", None)
            numbers = flat(line, prefix)
            assert numbers.keys() == entry.keys()
            assert numbers == pytest.approx({name: float(value) for name, value in entry.items()})
    validations = [line for line in lines if line["event"] == "valid"]
    assert {"nli-en/accuracy", "nli-en/loss", "avg"} < validations[0]["values"].keys()
    assert (start["update"], start["epoch"]) == (0, 1)
    assert start["command"] == ["fairseq-train", *arguments(trained.folder, "--max-epoch", 2)[3:]]
    settings = start["settings"]
    assert (settings["task"], settings["model"]) == (
        "multilingual_multitask",
        "skillnet_x_ffn_mha_tiny",
    )
    assert (settings["max_epoch"], settings["lr"], settings["corpus_sampling"]) == (2, [0.001], "temperature")
    assert all(isinstance(settings[name], float | int | str | list | None) for name in settings), settings
    validated = {line["values"]["avg"]: line["update"] for line in validations}
    best = max(validated)
    assert (end["event"], end["reason"]) == ("end", "max_epoch")
    assert end["best"] == {"metric": "avg", "value": best, "update": validated[best]}
    seconds = [line["seconds"] for line in (start, *lines, end)]
    assert seconds == sorted(seconds)
    spent = TimeSpent.of_end(end)
    assert spent is not None and min(spent.training, spent.validation, spent.checkpoints) > 0
    assert sum(spent.to_line().values()) == pytest.approx(end["seconds"] - start["seconds"], abs=0.1)
    assert f"time: {spent.shown()}" in trained.output


def test_a_run_that_goes_on_adds_to_it(train: Callable[..., Any], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    stops = ("--max-update", 5, "--save-interval-updates", 3)
    train(tmp_path, *stops)
    (tmp_path / "checkpoint_1_3.pt").replace(tmp_path / "checkpoint_last.pt")  # killed between two checkpoints
    log.write_text(log.read_text() + '{"event": "tr')
    before = log.read_text().splitlines()[:-1]
    run = train(tmp_path, *stops[:2], "--max-update", 7)
    assert log.read_text().splitlines()[: len(before)] == before
    lines = read_run_log(log)
    assert [line["update"] for line in lines if line["event"] == "train"] == [1, 2, 3, 4, 5, 6, 7]
    assert [line["update"] for line in lines if line["event"] == "start"] == [0, 3]
    assert [line["reason"] for line in lines if line["event"] == "end"] == ["max_update"]
    assert lines[-1]["best"]["value"] == run.checkpoint()["extra_state"]["best"]
    seconds = [line["seconds"] for line in lines]
    assert seconds == sorted(seconds)


def test_one_rank_writes_and_the_log_has_short_lines(
    train: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks = shlex.split("--distributed-world-size 2 --distributed-port -1 --ddp-backend legacy_ddp")
    run = train(tmp_path, *ranks, "--max-update", 2, "--log-format", "simple", "--no-save")
    lines = read_run_log(tmp_path / "log.jsonl")
    assert [line["event"] for line in lines] == ["start", "train", "train", "valid", "epoch", "end"]
    shown = [line.split(" | ")[-1] for line in run.output.splitlines() if " | train_inner | " in line]
    assert [line.partition(":")[0] for line in shown] == ["update 1 of 2, epoch 1", "update 2 of 2, epoch 1"]
    assert max(map(len, shown)) < 100
    monkeypatch.chdir(tmp_path)
    train(Path("checkpoints"), "--max-update", 1, "--no-save")  # where --save-dir is by default
    assert not (tmp_path / "checkpoints/log.jsonl").exists()


def test_a_program_that_registers_the_plugin_before_it_loads_fairseqs(
    arguments: Callable[..., list[str]], tmp_path: Path
) -> None:
    line = arguments(tmp_path, "--max-update", 1, "--only-corpora", "nli-en", "--disable-validation", "--no-save")[3:]
    program = "import skill_plugin.register; from fairseq_cli.train import cli_main; cli_main()"
    status, output = execute(sys.executable, "-c", program, *line, fresh=True)
    assert status == 0, output
    assert [line["event"] for line in read_run_log(tmp_path / "log.jsonl")] == ["start", "train", "epoch", "end"]


def test_trackers_get_names_that_group(
    train_here: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a writer in the place of TensorBoard's, which is not installed."""
    written: dict[tuple[str, str, int], float] = {}

    class Writer:
        def __init__(self, folder: str) -> None:
            self.split = Path(folder).name

        def add_text(self, name: str, text: str) -> None: ...

        def add_scalar(self, name: str, value: float, step: int) -> None:
            written[self.split, name, step] = value

        def flush(self) -> None: ...

        close = flush

    monkeypatch.setattr(bars, "SummaryWriter", Writer)
    monkeypatch.setattr(bars, "_tensorboard_writers", {})
    train_here(tmp_path / "run", "--max-update", 2, "--tensorboard-logdir", tmp_path / "board")
    lines = {line["event"]: line["values"] for line in read_run_log(tmp_path / "run/log.jsonl") if "values" in line}
    for event, split in (("train", "train_inner"), ("epoch", "train"), ("valid", "valid")):
        numbers = {name: value for (of, name, step), value in written.items() if (of, step) == (split, 2)}
        assert numbers == {name: value for name, value in lines[event].items() if name != "num_updates"}
    assert ("valid", "nli-en/accuracy", 2) in written
