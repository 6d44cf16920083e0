"""``skill-plugin analyse difficulty``: which corpora it measures, in which order, and what it says of the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]

FILE = """
languages: [en, de]
skills: {generic: always on}
corpora:
  easy: {kind: classification, language: en, skills: [generic], format: tsv, columns: {text_a: a, label: l}, train: easy.tsv}
  hard:
    kind: classification
    language: en
    skills: [generic]
    format: tsv
    columns: {text_a: a, text_b: b, label: l}
    train: hard.tsv
  scores: {kind: regression, language: en, skills: [generic], format: tsv, columns: {text_a: a, score: l}, train: scores.tsv}
  leicht: {kind: classification, language: de, skills: [generic], format: tsv, columns: {text_a: a, label: l}, train: easy.tsv}
  held: {kind: classification, language: en, skills: [generic], format: tsv, columns: {text_a: a, label: l}, labels: [x, y], valid: easy.tsv}
  one: {kind: classification, language: en, skills: [generic], format: tsv, columns: {text_a: a, label: l}, train: one.tsv}
"""  # noqa: E501


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "easy.tsv").write_text("a\tl\nred red\tx\nblue blue\ty\n")
    (tmp_path / "hard.tsv").write_text("a\tb\tl\nred sun\tblue\tx\nred\tblue moon\ty\nblue red\tsea\tz\n")
    (tmp_path / "scores.tsv").write_text("a\tl\nred\t1\nblue\t2\n")
    (tmp_path / "one.tsv").write_text("a\tl\n北\tx\n京\ty\n")
    path = tmp_path / "corpora.yaml"
    path.write_text(FILE)
    return path


def test_the_most_difficult_first(file: Path, command: Command, tmp_path: Path) -> None:
    status, out, err = command("analyse", "difficulty", file, "--json", tmp_path / "out.json")
    assert status == 0, err
    assert out.index("│ hard") < out.index("│ easy")
    found = json.loads((tmp_path / "out.json").read_text())
    assert list(found["corpora"]) == ["hard", "easy"]
    hard = found["corpora"]["hard"]
    parts = ("vocabulary", "imbalance", "diversity", "similarity", "information")
    assert hard["rows"] == 3 and hard["difficulty"] == pytest.approx(sum(hard[part] for part in parts))
    assert hard["vocabulary"] == 5 / 9  # of both texts
    assert found["left_out"].keys() == {"scores", "leicht", "held", "one"}
    assert "scores: left out, regression; the measure is of classification" in err
    assert "held: left out, no train split" in err and "leicht: left out, another language" in err
    assert "one: left out, no words of ASCII letters in train" in err


def test_faults_are_one_line(file: Path, command: Command, tmp_path: Path) -> None:
    status, out, err = command("analyse", "difficulty", file, "--only-corpora", "scores,leicht")
    assert (status, out, err) == (
        1,
        "",
        f"{file}: no corpus is English classification with a train split of two classes\n",
    )
    status, out, err = command("analyse", "difficulty", file, "--json", file)
    assert status == 1 and "is read and to be written" in err
    (tmp_path / "easy.tsv").write_text("a\tl\nred\tx\nblue\n")
    status, out, err = command("analyse", "difficulty", file, "--only-corpora", "easy")
    assert (status, out, err.count("\n")) == (1, "", 1) and err.startswith(f"{tmp_path}/easy.tsv:3: ")
