from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]
YAML = """\
languages: [en]
skills: {generic: on}
corpora:
  a-long-name-of-a-corpus:
    kind: classification
    language: en
    skills: [generic]
    labels: [good, bad]
    drop_labels: ["-"]
    format: jsonl
    columns: {text_a: text, label: label}
    train: rows.jsonl
  other:
    kind: labelling
    language: en
    skills: [generic]
    format: conll
    columns: {token: 1, tag: 2}
    train: rows.conll
"""


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    rows = [{"text": f"the cat sat {i}", "label": label} for i, label in enumerate(["good", "bad", "-"])]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "corpora.yaml").write_text(YAML)
    return tmp_path / "corpora.yaml"


def test_table(command: Command, corpora: Path, sentencepiece_model: Path) -> None:
    data = corpora.parent / "data"
    only = ("--only-corpora", "a-long-name-of-a-corpus")
    status, out, err = command("prepare", corpora, data, "--tokenizer", sentencepiece_model, *only)
    assert (status, err) == (0, "")
    lines = out.split("\n")
    assert lines[0].split() == [
        "corpus", "split", "rows", "skipped", "tokens", "longest", "truncated", "windowed",
        "unknown",
    ]  # fmt: skip
    assert lines[1].split()[:4] == ["a-long-name-of-a-corpus", "train", "2", "1"]
    assert lines[2].startswith("a-long-name-of-a-corpus train: 1 rows skipped: dropped label '-'")
    assert (data / "a-long-name-of-a-corpus" / "input0" / "train.bin").is_file()


def test_dictionary(command: Command, corpora: Path, sentencepiece_model: Path) -> None:
    (corpora.parent / "dict.txt").write_text("▁the 1\n", encoding="utf-8")
    only = ("--only-corpora", "a-long-name-of-a-corpus", "--dict", corpora.parent / "dict.txt")
    status, _, _ = command("prepare", corpora, corpora.parent / "data", "--tokenizer", sentencepiece_model, *only)
    assert status == 0
    assert (corpora.parent / "data/text/dict.txt").read_text(encoding="utf-8") == "▁the 1\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--only-corpora", "othr"], 1, "othr"),
        ([], 1, "corpora.yaml:19: corpus 'other': train: cannot read "),
        (["--encoder", "x.pt"], 2, "give either --encoder or --tokenizer"),
        (["--workers", "0"], 2, "--workers"),
    ],
)
def test_faults(
    command: Command, corpora: Path, sentencepiece_model: Path, arguments: list[str], status: int, message: str
) -> None:
    before = sorted(os.listdir(corpora.parent))
    found = command("prepare", corpora, corpora.parent / "data", "--tokenizer", sentencepiece_model, *arguments)
    assert found[0] == status
    assert message in found[2]
    assert "Traceback" not in found[2]
    assert sorted(os.listdir(corpora.parent)) == before


def test_usage_without_tokenizer(command: Command, corpora: Path) -> None:
    assert command("prepare", corpora, "data")[0] == 2
    assert command("prepare", corpora, "data", "--encoder", "x.pt", "--dict", "d")[0] == 2
    status, _, err = command("prepare", corpora, "data", "--encoder", "x.pt")
    assert (status, err) == (1, "x.pt: no such file\n")


def test_faults_of_rows_are_lines_on_standard_error(command: Command, corpora: Path, sentencepiece_model: Path) -> None:
    (corpora.parent / "rows.jsonl").write_text('{"text": "a", "label": "god"}\n' * 25)
    only = ("--only-corpora", "a-long-name-of-a-corpus")
    status, out, err = command("prepare", corpora, corpora.parent / "data", "--tokenizer", sentencepiece_model, *only)
    assert (status, out) == (1, "")
    (line,) = err.rstrip("\n").split("\n")
    assert "rows.jsonl:1: unknown label 'god'; did you mean 'good'? (25 rows, also in lines 2, 3, " in line
    assert line.endswith(", 20, 21 and 4 more)")
    assert not (corpora.parent / "data").exists()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_process_leaves_nothing(corpora: Path, sentencepiece_model: Path, workers: int) -> None:
    row = json.dumps({"text": "the cat sat on the mat " * 200, "label": "good"}) + "\n"
    (corpora.parent / "rows.jsonl").write_text(row * 20000)
    command = [sys.executable, "-m", "skill_plugin", "prepare", str(corpora), str(corpora.parent / "data")]
    command += ["--tokenizer", str(sentencepiece_model), "--only-corpora", "a-long-name-of-a-corpus"]
    process = subprocess.Popen([*command, "--workers", str(workers)], stderr=subprocess.PIPE, start_new_session=True)
    partial = corpora.parent / f"data.partial-{process.pid}" / "a-long-name-of-a-corpus"
    until = time.monotonic() + 60
    while not partial.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    assert partial.exists()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"Traceback" not in err
    assert sorted(os.listdir(corpora.parent)) == ["corpora.yaml", "rows.jsonl"]
