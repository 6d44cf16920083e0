"""Lines that are split together have the cells that each has alone."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from skill_plugin.readers.cells import RecordRun
from skill_plugin.readers.text_columns import TextColumns
from skill_plugin.readers.text_lines import LineRun

CELL = st.text(st.sampled_from('ab\r"|, é\u2028'), max_size=3)
SEPARATORS = ["\t", "|", ",", " ", "||"]
LINES = st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=6)
TABLE = st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1))


@given(rows=LINES | TABLE, separator=st.sampled_from(SEPARATORS), most=st.none() | st.integers(1, 4))
@example(rows=[["a", "b"], ["a"], ["a", "b", "c"]], separator="\t", most=None)  # as many separators as if all had two
def test_split_together(rows: list[list[str]], separator: str, most: int | None) -> None:
    texts = [separator.join(row) for row in rows]
    expected = [text.split(separator, -1 if most is None else most - 1) for text in texts]
    run = RecordRun.split(LineRun(7, texts, "\n"), separator, most)
    assert [(record.first, record.cells) for record in run] == list(enumerate(expected, 7))


def test_a_table_comes_by_column() -> None:
    run = RecordRun.split(LineRun(2, ["a\tb", "c\t", "\td"], "\n"), "\t")
    assert isinstance(run.rows, TextColumns) and run.rows.columns == [["a", "c", ""], ["b", "", "d"]]
    assert not isinstance(RecordRun.split(LineRun(2, ["a\tb\tc", "d\te\tf"], "\n"), "\t", 2).rows, TextColumns)
