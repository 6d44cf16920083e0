"""What ``check`` notices, ``prepare`` prints in the same words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]
YAML = """\
languages: [de]
corpora:
  reviews:
    kind: classification
    language: de
    format: tsv
    header: false
    extra_cells: drop
    columns: {text_a: 0, text_b: 1, label: 2}
    train: train.tsv
    valid: valid.tsv
  tags:
    kind: labelling
    language: de
    format: conll
    columns: {token: 0, tag: 1}
    train: train.conll
  questions:
    kind: span
    language: de
    max_answer: 1
    format: jsonl
    columns: {question: q, context: c, answers: a, answer_start: s}
    train: train.jsonl
"""
FILES = {
    "train.tsv": "the cat\tNS\tcontradictory\n" * 2 + "\tB\ufffdr\tcontradiction\na\tschlÃ¤ft\tx\ty\n",
    "valid.tsv": "the cat\tNS\tx\n'a'\t'b'\tcontradictory\n'c'\t'd'\tx\n",
    "train.conll": "the\tI-PER\ncat\tO\n\nsat\tB-PER\n\nsat\tB-PER\n",
    "train.jsonl": json.dumps({"q": "who", "c": "the cat sat on the mat", "a": ["the mat"], "s": [3]}) + "\n",
}


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "corpora.yaml").write_text(YAML)
    return tmp_path / "corpora.yaml"


def sections(out: str) -> dict[str, set[str]]:
    """Heading -> lines below it, of what is printed as ``notices of NAME``."""
    found: dict[str, set[str]] = {}
    heading = None
    for line in out.split("\n"):
        if line.startswith("notices of "):
            heading = line
            found[heading] = set()
        elif line.startswith("  ") and heading is not None:
            found[heading].add(line)
        else:
            heading = None
    return found


def test_every_notice(command: Command, corpora: Path, sentencepiece_model: Path) -> None:
    tokenizer = ("--tokenizer", sentencepiece_model)
    status, out, _ = command("check", corpora, *tokenizer)
    assert status == 0
    checked = sections(out)
    assert {heading: len(lines) > 1 for heading, lines in checked.items()} == {
        "notices of reviews": True,
        "notices of tags": True,
        "notices of questions": True,
    }
    status, out, err = command("prepare", corpora, corpora.parent / "data", *tokenizer)
    assert (status, err) == (0, "")
    assert sections(out) == checked
    status, out, _ = command("check", corpora, *tokenizer, "--json")
    assert len(json.loads(out)["notices"]) == sum(map(len, checked.values()))
