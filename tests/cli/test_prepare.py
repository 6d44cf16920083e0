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

from skill_plugin.store.indexed_file import IndexedFile
from skill_plugin.text.text_encoder import TextEncoder

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
    assert lines[2].startswith("a-long-name-of-a-corpus train: 1 row skipped: dropped label '-'")
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
    assert line.endswith(", 20, 21 and 4 more); label_map renames labels, drop_labels leaves out their rows")
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


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_trims_the_vocabulary_to_the_data(
    command: Command, corpora: Path, sentencepiece_model: Path, workers: int
) -> None:
    """The same pieces, by other ids."""
    (corpora.parent / "rows.conll").write_text("0\tthe\tO\n1\tcat\tO\n\n0\tDer\tO\n1\tHund\tB-X\n", encoding="utf-8")
    prepared = [corpora, "--tokenizer", sentencepiece_model]
    assert command("prepare", prepared[0], corpora.parent / "full", *prepared[1:])[0] == 0
    trim = ("--trim-vocabulary", "--workers", workers)
    status, out, err = command("prepare", prepared[0], corpora.parent / "cut", *prepared[1:], *trim)
    assert (status, err) == (0, "")
    texts = {name: TextEncoder.load(corpora.parent / name / "text") for name in ("full", "cut")}
    before, after = (len(text.vocabulary) for text in texts.values())
    assert after < before
    assert out.startswith(f"trimmed: {after} of {before} symbols stay (")
    assert "MB smaller" not in out  # the width is the encoder's
    for corpus in ("a-long-name-of-a-corpus", "other"):
        rows = []
        for name, text in texts.items():
            file, symbols = IndexedFile(corpora.parent / name / corpus / "input0/train"), text.vocabulary.symbols
            rows.append([[symbols[i] for i in file[row]] for row in range(len(file))])
        assert rows[0] == rows[1]
    # the same data gives the same vocabulary, so that a corpus can be prepared again
    assert command("prepare", prepared[0], corpora.parent / "cut", *prepared[1:], *trim)[0] == 0
    status, _, err = command("prepare", prepared[0], corpora.parent / "cut", *prepared[1:])
    assert status == 1
    assert "was prepared with another vocabulary" in err


def test_faults_are_told_before_the_vocabulary_is_trimmed(
    command: Command, corpora: Path, sentencepiece_model: Path
) -> None:
    (corpora.parent / "rows.conll").write_text("0\tthe\n", encoding="utf-8")
    before = sorted(os.listdir(corpora.parent))
    options = ("--tokenizer", sentencepiece_model, "--trim-vocabulary")
    status, out, err = command("prepare", corpora, corpora.parent / "data", *options)
    assert (status, out) == (1, "")
    assert "rows.conll:1: " in err
    assert sorted(os.listdir(corpora.parent)) == before
