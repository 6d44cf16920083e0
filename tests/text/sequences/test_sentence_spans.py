"""Spans of sentences against the rule in a loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.text.sequences.sentence_spans import fill_spans, sum_spans

DOCUMENTS = st.lists(st.lists(st.integers(0, 12), max_size=9), max_size=6)


@given(DOCUMENTS, st.integers(0, 40))
def test_spans_are_as_long_as_fits(documents: list[list[int]], room: int) -> None:
    expected = []
    for number, sizes in enumerate(documents):
        before = sum(map(len, documents[:number]))
        at = 0
        while at < len(sizes) and len(sizes) > 1:
            at = min(at, len(sizes) - 2)  # a last sentence alone takes the one before it along
            last = at + 2
            while last < len(sizes) and sum(sizes[at : last + 1]) <= room:
                last += 1
            expected.append([before + at, before + last])
            at = last
    flat = [size for sizes in documents for size in sizes]
    spans = fill_spans(flat, np.cumsum([0, *map(len, documents)]), room)
    assert spans.tolist() == expected
    assert sum_spans(flat, spans).tolist() == [sum(flat[first:end]) for first, end in expected]
