"""Targets of a pack's sequences lie end to end, and go wherever the pack goes."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.data.sample import Sample
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.noisy_copy import with_noisy_copy
from skill_plugin.nn.pack_once import pack_once
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.nn.packed_targets import PackedTargets

TARGETS = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), max_size=3)
ACTIVE = ActiveSet((), "en")


def sequence(number: int, targets: list[list[int]]) -> EncodedSequence:
    tokens = np.array([0, 10 + number, 2], np.int32)
    return EncodedSequence(tokens, np.zeros(3, np.int32), targets=tuple(np.array(one, np.int32) for one in targets))


def unpacked(targets: PackedTargets) -> list[list[list[int]]]:
    flat = iter([one.tolist() for one in targets.tokens.split(list(targets.lengths))])
    return [[next(flat) for _ in range(count)] for count in targets.counts]


@given(st.lists(TARGETS, min_size=1, max_size=5), st.integers(0, 4))
def test_each_sequence_finds_its_own(members: list[list[list[int]]], cut: int) -> None:
    sequences = [sequence(i, one) for i, one in enumerate(members)]
    parts = [part for part in (sequences[:cut], sequences[cut:]) if part]
    packed = pack([(ACTIVE, "nli", part) for part in parts], token_types=False)
    if not any(members):
        assert packed.targets is None
        return
    assert packed.targets is not None
    assert unpacked(packed.targets) == members
    assert packed.targets.tokens.dtype == torch.int64
    sample = Sample.of({"net_input": packed.as_keywords()})
    assert len(sample._flat) == 1  # goes to a GPU in one copy
    again = PackedBatch(**sample["net_input"]).targets
    assert again is not None
    assert unpacked(again) == members
    doubled, _ = with_noisy_copy(packed, torch.zeros(len(packed.tokens), 4), 1.0)
    assert doubled.targets is not None
    assert unpacked(doubled.targets) == [*members, *members]
    there = PackedBatch(**sample.to(torch.device("meta"))["net_input"]).targets
    assert there is not None and there.tokens.is_meta
    moved = packed.to(torch.device("meta")).targets
    assert moved is not None and moved.tokens.is_meta


def test_a_sequence_is_read_once_for_those_who_choose_among_the_same_texts() -> None:
    texts, others = [[5, 2], [6, 7, 2]], [[8, 2], [9, 2]]
    readers = [sequence(1, texts), sequence(1, texts), sequence(1, others)]
    packed = pack_once([(ACTIVE, "nli", [one]) for one in readers], token_types=False)
    assert [units.tolist() for units in packed.units] == [[0], [0], [3]]
    assert packed.targets is not None
    assert unpacked(packed.targets) == [texts, others]
