"""Examples in blocks, partly in a file, are what a list of them is."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.readers import example_rows, spilled
from skill_plugin.readers.example import Example, label_names
from skill_plugin.readers.example_rows import ExampleBlock, ExampleRows

TEXT = st.text(st.characters(), max_size=4)
ANSWER = st.one_of(st.none(), TEXT, st.floats(allow_nan=False), st.lists(TEXT, max_size=2).map(tuple))
EXAMPLE = st.builds(
    Example,
    st.lists(TEXT, min_size=1, max_size=2).map(tuple),
    ANSWER,
    st.sampled_from(["a", "b"]),
    st.integers(1, 1 << 40),
    st.sampled_from([(), ("x",), ("x", "\ud800")]),
    st.sampled_from([(), ((0, 1),)]),
    st.sampled_from([(), ((0, 0, 1), (0, 2, 3))]),
    st.sampled_from(["", "q"]),
)
RUNS = st.lists(st.lists(EXAMPLE, max_size=5), max_size=8)


@given(runs=RUNS, one_by_one=st.lists(st.booleans(), min_size=8, max_size=8), data=st.data())
def test_rows_are_a_list(runs: list[list[Example]], one_by_one: list[bool], data: st.DataObject) -> None:
    with patch.object(example_rows, "BLOCK", 3), patch.object(spilled, "MEMORY", 100):
        rows, expected = ExampleRows(), list[Example]()
        for run, singly in zip(runs, one_by_one, strict=False):
            expected += run
            if singly:
                for example in run:
                    rows.append(example)
            else:
                rows.extend(ExampleBlock.of(run))
        assert len(rows) == len(expected)
        assert list(rows) == expected == [example for block in rows.blocks() for example in block]
        assert rows == expected and rows != [*expected, None]
        assert rows.label_counts() == Counter(name for example in expected for name in label_names(example))
        start, stop = data.draw(st.integers(-9, 50)), data.draw(st.integers(-9, 50))
        assert rows[start:stop] == expected[start:stop] and rows[::-2] == expected[::-2]
        for number in range(-len(expected), len(expected)):
            assert rows[number] == expected[number]
        for block in rows.blocks():
            assert [block.example(number) for number in range(len(block))] == list(block)


def test_more_after_a_look() -> None:
    examples: list[Example] = [Example((str(n),), "x", "f", n) for n in range(10)]
    with patch.object(example_rows, "BLOCK", 4), patch.object(spilled, "MEMORY", 1):
        rows = ExampleRows()
        for number, example in enumerate(examples, 1):
            rows.append(example)
            assert list(rows) == examples[:number]
            assert rows.label_counts() == {"x": number}
