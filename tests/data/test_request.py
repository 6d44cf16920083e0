"""However a request is cut, each unit gets its own outputs, and packs keep to their bounds."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.data.request import Request, in_order
from skill_plugin.nn.packed_batch import EncodedSequence


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), min_size=1, max_size=30),
    st.none() | st.integers(1, 6),
    st.integers(1, 30),
)
def test_each_unit_gets_its_outputs(sizes: list[tuple[int, int]], batch_size: int | None, max_tokens: int) -> None:
    sequences, number = [], 0
    for length, units in sizes:
        tokens = np.full(length, len(sequences), np.int32)
        sequences.append(EncodedSequence(tokens, np.zeros(length, np.int32), np.arange(number, number + units)))
        number += units
    target = {"classes": torch.arange(number) * 7}
    parts = Request("here", sequences, target).parts(batch_size, max_tokens)

    assert sorted(int(one.tokens[0]) for part in parts for one in part.sequences) == list(range(len(sizes)))
    lengths = [[len(one.tokens) for one in part.sequences] for part in parts]
    assert [one for own in lengths for one in own] == sorted(length for length, _ in sizes)
    for own in lengths:
        assert len(own) == 1 or (sum(own) <= max_tokens and (batch_size is None or len(own) <= batch_size))
    outputs = []
    for part in parts:
        units = torch.cat([torch.from_numpy(one.units) for one in part.sequences])
        assert part.target is not None and part.target["classes"].tolist() == (units * 7).tolist()
        outputs.append(torch.stack([units, -units], dim=1).float())
    assert in_order(parts, outputs)[:, 0].tolist() == list(range(number))
