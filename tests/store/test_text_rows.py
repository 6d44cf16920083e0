"""The original texts beside the ids: any text, row by row, and damage."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.readers.example import Example
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.store.text_rows import TextRows, write_text_rows

TEXT = st.text(max_size=20) | st.text('\n\r\u2028\x85\x00\\"🙂', max_size=8)
ANSWERS = st.one_of(
    st.none(), TEXT, st.floats(allow_nan=False), st.lists(TEXT).map(tuple), st.lists(st.integers(0, 9)).map(tuple),
    st.lists(st.tuples(st.integers(-1, 9), TEXT)).map(tuple),
)  # fmt: skip
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
PLACES = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=3).map(tuple)
EXAMPLES = st.builds(
    Example, TEXTS, ANSWERS, TEXT, st.integers(0, 99), TEXTS, PLACES,
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9), st.integers(0, 9)), max_size=2).map(tuple), TEXT,
)  # fmt: skip


@given(st.lists(EXAMPLES, max_size=6))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, examples: list[Example]) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    write_text_rows(path, ExampleRows(examples))
    rows = TextRows(path, len(examples))
    assert len(rows) == len(examples)
    for number in reversed(range(len(examples))):
        assert rows[number] == examples[number]


def test_half_characters_become_the_mark_for_unknown_ones(tmp_path: Path) -> None:
    write_text_rows(tmp_path / "rows", ExampleRows([Example(("a\ud800b",), "\udfff", "", 1, candidates=("\udc00",))]))
    read = TextRows(tmp_path / "rows", 1)[0]
    assert (read.texts, read.answer, read.candidates) == (("a\ufffdb",), "\ufffd", ("\ufffd",))


def test_damage(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    write_text_rows(path, ExampleRows([Example(("a",), None, "", 1)] * 3))
    with pytest.raises(InputError, match=re.escape(f"{path}: has 3 rows, the ids beside it have 4")):
        TextRows(path, 4)[0]
    for line in ('{"texts": ["a"', "[1]", '{"other": 1}'):
        path.write_text(f"{line}\n", encoding="utf-8")
        with pytest.raises(InputError, match=re.escape(f"{path}:1: not a row")):
            TextRows(path, 1)[0]
