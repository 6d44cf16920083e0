"""A pack that several corpora read, in which a sequence that some of them have in common is read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, Segment, pack

SequenceKey = tuple[ActiveSet, tuple[bytes, ...]]


def sequence_key(active: ActiveSet, sequence: EncodedSequence) -> SequenceKey:
    """Equal for sequences with equal hidden states, whichever of their tokens a head reads."""
    values = (sequence.tokens, sequence.token_types, *sequence.targets)
    return active, tuple(one.astype(np.int64).tobytes() for one in values)


def pack_once(corpora: Sequence[tuple[ActiveSet, str, Sequence[EncodedSequence]]], token_types: bool) -> PackedBatch:
    """As ``pack``, but sequences with equal hidden states are in the pack once.

    The first corpus that has a sequence holds it in its segment. The units of the others are positions in that segment,
    so that a segment may be empty although its head reads something.

    Args:
        corpora: for each segment what it activates, its head's name, and its sequences (at least one).
        token_types: whether the encoder reads token types.
    """
    starts: dict[SequenceKey, int] = {}
    segments, units, held = [], [], []
    begin = end = 0
    for active, head, sequences in corpora:
        fresh, read = [], []
        for sequence in sequences:
            start = starts.setdefault(sequence_key(active, sequence), end)
            if start == end:
                fresh.append(sequence)
                end += len(sequence.tokens)
            read.append(sequence.units + start)
        if fresh:
            held.append((active, head, fresh))
        segments.append(Segment(active, head, begin, end))
        units.append(torch.from_numpy(np.concatenate(read)))
        begin = end
    return replace(pack(held, token_types), segments=segments, units=units)
