"""The section of training: its curves are those of the log, whichever form that has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

from skill_plugin.report.page.history import History, read_fairseq_log
from tests.html_page import HtmlPage

MakePage = Callable[..., HtmlPage]
COMMAND = ["fairseq-train", "data bin", "--arch", "dense_tiny"]


def log_of(scores: dict[int, float], entropy: bool = False) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = [{"event": "start", "update": 0, "epoch": 1, "seconds": 0.0, "command": COMMAND}]
    for update, score in scores.items():
        values = {"nli_en/loss": 1 / update, "nli_en/planned": 0.25, "nli_en/share": 0.5, "loss": 2 / update}
        values |= {"nli_en/entropy": 0.1 * update} if entropy else {}
        lines.append({"event": "train", "update": update, "epoch": 1, "seconds": 9.0, "values": values})
        values = {"avg": score, "nli_en/accuracy": score}
        lines.append(
            {"event": "valid", "update": update, "epoch": 1, "seconds": 9.5, "subset": "valid", "values": values}
        )
    best = {"metric": "avg", "value": max(scores.values()), "update": max(scores, key=lambda one: scores[one])}
    end = {"event": "end", "update": max(scores), "epoch": 1, "seconds": 75.0, "reason": "max_update", "best": best}
    return [*lines, end | {"spent": {"training": 60.0, "validation": 5.0, "checkpoints": 10.0}}]


def write_log(folder: Path, lines: list[dict[str, object]]) -> None:
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_curves_of_seeds(scored: Callable[..., Path], page: MakePage) -> None:
    """Means over the runs, at the updates that all have."""
    curves = [{10: 0.5, 20: 0.6, 30: 0.7}, {10: 0.4, 20: 0.7}]
    runs = [scored(f"run{i}", nli_en=0.7) for i in range(2)]
    for run, curve in zip(runs, curves, strict=True):
        write_log(run, log_of(curve, entropy=True))
    found = page(*runs)
    section = found.section("training")
    assert section.table("updates") == {
        "updates": ["avg", "nli_en"], "10": ["45.0", "45.0"], "20": ["65.0", "65.0"]
    }  # fmt: skip
    text = section.text
    assert "30 updates, epoch 1, 1 min 15 s; ended by max-update." in text
    assert "The best checkpoint, by avg (0.7000), is that after 30 updates." in text
    assert "Time: training 1 min, validation 5 s, writing checkpoints 10 s." in text
    assert {"Losses", "Shares of the corpora", "Uncertainty"} <= {one.text for one in section.all("h3")}
    tables = {tuple(head.text for head in one.all("th")[:3]): one for one in section.all("table")}
    shares = tables["updates", "nli_en, planned", "nli_en"]
    assert [cell.text for cell in shares.all("td")] == ["25.0", "50.0"] * 3
    assert "fairseq-train 'data bin' --arch dense_tiny" in found.section("settings").text


def test_long_curves_are_joined(scored: Callable[..., Path], page: MakePage) -> None:
    """Of many intervals the means of parts are drawn and told."""
    run = scored("run", nli_en=0.7)
    write_log(run, log_of(dict.fromkeys(range(1, 101), 0.5)))
    losses = page(run).section("training").all("table")
    table = next(one for one in losses if [head.text for head in one.all("th")][1] == "all")
    first = [cell.text for cell in table.all("tr")[1].all("td")]
    assert len(table.all("tr")) == 1 + 25 and table.all("tr")[1].all("th")[0].text == "4"
    assert first == [f"{fmean(2 / n for n in (1, 2, 3, 4)):.3f}", f"{fmean(1 / n for n in (1, 2, 3, 4)):.3f}"]


def test_the_json_of_fairseq_is_read_too(tmp_path: Path) -> None:
    """Of a run that went on, what was lost is left out."""
    written = [
        'x | INFO | train_inner | {"epoch": 1, "loss": "0.9", "nli-en_loss": "0.8", "num_updates": "10"}',
        '{"epoch": 1, "valid_loss": "0.7", "valid_nli-en_accuracy": "0.5", "valid_num_updates": "20"}',
        '{"epoch": 1, "loss": "0.5", "nli-en_loss": "0.4", "num_updates": "30"}',
        '{"epoch": 1, "loss": "0.6", "nli-en_loss": "0.5", "num_updates": "25"}',
        '{"epoch": 1, "train_loss": "0.6", "train_nli-en_loss": "0.6", "train_num_updates": "25"}',
        "other {words}",
    ]
    (tmp_path / "train.log").write_text("\n".join(written))
    history = History.read(tmp_path, ["nli", "nli-en"])
    assert history is not None and history.lines == read_fairseq_log(tmp_path / "train.log", ["nli", "nli-en"])
    assert history.curve("train", "nli-en/loss") == {10: 0.8, 25: 0.5}
    assert history.curve("valid", "nli-en/accuracy") == {20: 0.5}
    assert history.curve("epoch", "loss") == {25: 0.6}
    assert history.end is None and history.commands == []


def test_a_damaged_log_is_one_line(scored: Callable[..., Path], command: Callable[..., tuple[int, str, str]]) -> None:
    run = scored("run", nli_en=0.7)
    (run / "log.jsonl").write_text('{"event": "start", "update": 0}\n{"event": "train"\n')
    status, _, err = command("report", run, "--out", run / "page.html")
    assert status == 1 and err.startswith(f"{run / 'log.jsonl'}:2: not JSON") and err.count("\n") == 1
    assert not (run / "page.html").exists()


@pytest.mark.parametrize("option", [("--split", "test"), ("--rows", 5), ("--device", "cpu")])
def test_what_says_how_rows_are_read_goes_with_them(
    option: tuple[str, object], scored: Callable[..., Path], command: Callable[..., tuple[int, str, str]]
) -> None:
    run = scored("run", nli_en=0.7)
    status, _, err = command("report", run, *option, "--out", run / "page.html")
    assert status == 2 and f"{option[0]} goes with --data" in err
    assert not (run / "page.html").exists()


@pytest.mark.parametrize("name", ["usage.json", "perturb.json"])
def test_a_damaged_analysis_is_one_line(
    scored: Callable[..., Path], command: Callable[..., tuple[int, str, str]], name: str
) -> None:
    run = scored("run", nli_en=0.7)
    keys = {"usage.json": "experts experts_per_token layers corpora overlap", "perturb.json": "x"}[name].split()
    (run / name).write_text(json.dumps(dict.fromkeys(keys, 1)))
    arguments = ["--analysis", run / name] if name == "perturb.json" else []
    status, _, err = command("report", run, *arguments, "--out", run / "page.html")
    assert status == 1 and err.startswith(f"{run / name}: ") and err.count("\n") == 1
