"""Made corpora are read without a fault, and are the same at every call."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sentencepiece

from skill_plugin.kinds.registry import kind_names
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import read_corpora_file
from tests import warm_process

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_corpora"
USUAL = {"classification", "labelling", "span", "regression"}


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Runs the script; gives the folder."""

    def run(*options: str) -> Path:
        folder = tmp_path_factory.mktemp("corpora")
        done = warm_process.run([sys.executable, SCRIPT, folder, *options], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return folder

    return run


@pytest.fixture(scope="session")
def every_kind(make: Callable[..., Path]) -> Path:
    return make("--rows", "20", "--all-kinds")


def read(folder: Path) -> dict[str, CorpusData]:
    corpora_file = read_corpora_file(folder / "corpora.yaml")
    reader = CorpusReader(corpora_file)
    return {name: reader.read(corpus) for name, corpus in corpora_file.corpora.items()}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_kind_is_read_without_a_fault(every_kind: Path) -> None:
    made = read(every_kind)
    assert {data.corpus.kind for data in made.values()} == set(kind_names())
    for name, data in made.items():
        assert data.faults == [], name
        notices = [notice for split in data.splits.values() for notice in split.notices]
        assert notices == [], name
        assert {split: len(rows.examples) for split, rows in data.splits.items()} == {"train": 20, "valid": 8}
        assert not any(rows.skipped for rows in data.splits.values())


def test_answers_stand_where_they_are_said_to(every_kind: Path) -> None:
    made = read(every_kind)
    for name in ("questions-en", "questions-zh"):
        for example in made[name].splits["train"].examples:
            ((start, text),) = example.answer  # type: ignore[misc, union-attr]
            assert text and example.texts[1][start:].startswith(text)
    for example in made["senses-en"].splits["train"].examples:
        (first, start, end), (second, begin, last) = example.spans
        assert example.texts[first][start:end] == example.texts[second][begin:last]
    (example, *_) = made["names-zh"].splits["train"].examples
    assert all(end - start == 1 for start, end in example.words)


def test_usual_corpora_are_the_same_with_and_without_the_others(make: Callable[..., Path], every_kind: Path) -> None:
    usual = contents(make("--rows", "20"))
    assert usual == contents(make("--rows", "20"))
    assert usual != contents(make("--rows", "20", "--seed", "2"))
    more = contents(every_kind)
    assert {name: more[name] for name in usual if name != "corpora.yaml"} == {
        name: content for name, content in usual.items() if name != "corpora.yaml"
    }


def test_a_process_of_its_own_makes_the_same(every_kind: Path, tmp_path: Path) -> None:
    """Whatever the seed of its string hashes, by which sets are ordered."""
    command = [sys.executable, SCRIPT, tmp_path, "--rows", "20", "--all-kinds"]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert contents(tmp_path) == contents(every_kind)


def test_the_usual_kinds(make: Callable[..., Path]) -> None:
    made = read(make("--rows", "8"))
    assert {data.corpus.kind for data in made.values()} == USUAL
    assert len(made) == 14


def test_own_tables_have_columns_of_their_own(make: Callable[..., Path]) -> None:
    folder = make("--rows", "20", "--own-tables")
    heads = {path.name: path.read_text().splitlines()[0] for path in folder.iterdir()}
    assert heads == {
        "alike-en.tsv": "one\tother\trating",
        "comments-en.tsv": "comment\topinion",
        "follows-de.tsv": "sentence 1\tsentence 2\tverdict",
        "follows-en.tsv": "sentence 1\tsentence 2\tverdict",
        "kommentare-de.tsv": "Kommentar\tMeinung",
    }
    assert {len(path.read_text().splitlines()) for path in folder.iterdir()} == {21}


def test_its_pieces_are_of_the_form_that_is_exported(every_kind: Path) -> None:
    pieces = sentencepiece.SentencePieceProcessor(str(every_kind / "sentencepiece.model"))
    assert min(map(pieces.get_score, range(pieces.get_piece_size()))) < -5  # unigram: log probabilities, no ranks
    assert not all(float(pieces.get_score(i)).is_integer() for i in range(pieces.get_piece_size()))
