"""Rows that ``prepare`` cannot have written are named where nothing says so before: without checksums."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.store.indexed_file import IndexedFile, write_indexed
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import World, examples, make_world

NAMES = ("tags", "span", "wic", "search", "nsp", "score", "one")


@pytest.fixture
def world(sentencepiece_model: Path, tmp_path: Path) -> World:
    return make_world(tmp_path / "bin", open_tokenizer(sentencepiece_model), {n: examples(n, 8) for n in NAMES})


def read(world: World, name: str) -> None:
    """As scoring does."""
    from skill_plugin.data.corpus_examples import corpus_examples

    found = corpus_examples(world.bundle, name, str(world.folder), "valid", verify=False)
    for index in range(len(found)):
        found.example(index)


Change = Callable[[list[int]], list[int]]


@pytest.mark.parametrize(
    ("name", "array", "change", "message"),
    [
        ("tags", "first", lambda row: [*row[:-1], 900], "expected tokens below"),
        ("tags", "first", lambda row: [*row[:-1], 2**32 - 1], "expected tokens below"),
        ("tags", "first", lambda row: row[::-1], "in their order"),
        ("tags", "first", lambda row: row[:-1], "tags for"),
        ("span", "offset", lambda row: row[:-1], "expected first and last character of"),
        ("span", "offset", lambda row: [row[1] + 1, *row[1:]], "expected first and last character of"),
        ("span", "answer", lambda row: [0, 900], "for each answer"),
        ("span", "answer", lambda row: [1, 0], "for each answer"),
        ("span", "answer", lambda row: [0], "for each answer"),
        ("wic", "span", lambda row: [2, *row[1:]], "expected two words"),
        ("wic", "span", lambda row: [row[0], 900, *row[2:]], "expected two words"),
        ("wic", "span", lambda row: row[:-1], "expected two words"),
        ("search", "relevance", lambda row: [*row, 1], "numbers for"),
        ("search", "members", lambda row: [0], "expected the number of its members for each row"),
        ("search", "members", lambda row: [], "expected the number of its members for each row"),
        ("nsp", "members", lambda row: [*row, 1], "expected the number of its members for each row"),
        ("nsp", "members", lambda row: [row[0] + 1], r"has \d+ rows, "),
        ("one", "label", lambda row: [row[0], 9], "does not end with </s>"),
    ],
)
def test_a_row_that_cannot_be_is_named(world: World, name: str, array: str, change: Change, message: str) -> None:
    read(world, name)
    prefix = world.folder / name / array / "valid"
    file = IndexedFile(prefix)
    rows = [file[row].tolist() for row in range(len(file))]
    longest = max(range(len(rows)), key=lambda row: len(rows[row]))
    rows[longest] = change(rows[longest])
    write_indexed(prefix, rows, 8 if array == "label" else 1 << 31)
    with pytest.raises(InputError, match=message) as error:
        read(world, name)
    assert "\n" not in str(error.value)
    assert f"{prefix}.bin" in str(error.value)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("tags", {"words": [[0, 1]]}, "holds 1 word, expected"),
        ("tags", {"words": None}, "not a row that"),
        ("tags", {"answer": ["A"]}, "expected a tag for each of"),
        ("tags", {"texts": ["", ""]}, "holds 2 texts, expected 1"),
        ("tags", {"texts": [""]}, "a word lies outside its text of 0 characters"),
        ("span", {"texts": ["question", ""]}, "its text has 0 characters, fewer than its tokens say"),
        ("span", {"texts": 3}, "not a row that"),
        ("span", {"answer": [["a", 1]]}, "not a row that"),
        ("span", {"line": 10**6000}, "not a row that"),
    ],
)
def test_texts_that_are_not_those_of_the_row(world: World, name: str, change: object, message: str) -> None:
    path = world.folder / name / "text" / "valid.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    row = max(range(len(lines)), key=lambda number: len(lines[number]))
    lines[row] = _with(lines[row], change)  # type: ignore[arg-type]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(f"{path}:{row + 1}: {message}")) as error:
        read(world, name)
    assert "\n" not in str(error.value)


def _with(line: str, change: dict[str, object]) -> str:
    value = {**json.loads(line), **{key: part for key, part in change.items() if key != "line"}}
    text = json.dumps(value)
    return re.sub(r'"line": \d+', f'"line": {"1" * 6000}', text) if "line" in change else text


def test_scores_are_finite(world: World) -> None:
    path = world.folder / "score" / "label" / "valid.label"
    path.write_text(path.read_text().replace("\n", "\nnan\n", 1).rsplit("\n", 2)[0] + "\n")
    with pytest.raises(InputError, match=r"valid.label:2: not a score: 'nan'"):
        read(world, "score")


def test_an_index_that_is_not_of_its_data(world: World) -> None:
    index, data = (world.folder / "one" / "input0" / f"valid.{suffix}" for suffix in ("idx", "bin"))
    content, ids = index.read_bytes(), data.read_bytes()
    for at in range(len(content)):
        index.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        with pytest.raises(InputError, match=r"input0/valid\.(idx|bin): "):
            IndexedFile(data.with_suffix(""), cut=1)
    index.write_bytes(content)
    for changed, words in ((ids + b"\0\0", "longer"), (ids[:-1], "shorter"), (b"", "shorter")):
        data.write_bytes(changed)
        with pytest.raises(InputError, match=rf"valid.bin: is {words} than its index says"):
            IndexedFile(data.with_suffix(""), cut=1)
