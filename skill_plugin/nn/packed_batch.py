"""A batch without padding: the real tokens of its sequences end to end, cut into segments by corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.nn.activation import Activations
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.packed_targets import PackedTargets
from skill_plugin.nn.sequence_layout import SequenceLayout


@dataclass(frozen=True)
class Segment:
    """The run of sequences of one corpus inside a pack.

    Attributes:
        active: what the corpus activates.
        head: name of the head that reads the segment.
        start, end: its tokens are ``[start, end)`` of the pack.
    """

    active: ActiveSet
    head: str
    start: int
    end: int


@dataclass(frozen=True)
class PackedBatch:
    """What the model reads; nothing is written into it.

    Attributes:
        tokens: ids [N], int64.
        positions: index of each token in its sequence [N], int64.
        token_types: 0 or 1 [N], int64, or None for encoders without them.
        lengths: tokens of each sequence, S integers.
        segments: the corpora, in order; they cover the pack.
        units: the flat positions that the head of each segment reads, int64 [U] (first tokens for classification,
            first sub-words for labelling …), or [U, 3] where it reads three at a time.
        copies: how many copies of the same sequences, one after the other, the pack is (``with_noisy_copy``: 2).
        targets: what the decoder of a text-to-text model reads.
    """

    tokens: Tensor
    positions: Tensor
    token_types: Tensor | None
    lengths: Sequence[int]
    segments: Sequence[Segment]
    units: Sequence[Tensor]
    copies: int = 1
    targets: PackedTargets | None = None

    def to(self, device: torch.device) -> PackedBatch:
        """The same batch on a device."""
        return PackedBatch(
            self.tokens.to(device),
            self.positions.to(device),
            None if self.token_types is None else self.token_types.to(device),
            self.lengths,
            self.segments,
            [units.to(device) for units in self.units],
            self.copies,
            None if self.targets is None else self.targets.to(device),
        )

    def as_keywords(self) -> dict[str, Any]:
        """The fields by name: ``PackedBatch(**batch.as_keywords())`` is the same batch."""
        return {one.name: getattr(self, one.name) for one in fields(PackedBatch)}

    def with_places(self, layout: SequenceLayout, active: Activations) -> Self:
        """This batch, for which both are made already."""
        vars(self).update(layout=layout, active=active)
        return self

    @cached_property
    def layout(self) -> SequenceLayout:
        """Where the sequences lie, for attention; made once a forward pass, for all layers."""
        return SequenceLayout(self.lengths, self.tokens.device)

    @cached_property
    def active(self) -> Activations:
        """What the tokens activate; made once a forward pass, for all layers."""
        lengths = [segment.end - segment.start for segment in self.segments]
        return Activations([segment.active for segment in self.segments], lengths, self.tokens.device)

    @property
    def size(self) -> int:
        """N, and the tokens of targets."""
        return len(self.tokens) + (0 if self.targets is None else len(self.targets.tokens))

    @property
    def spans(self) -> list[tuple[int, int]]:
        """``(start, end)`` of each segment's tokens."""
        return [(segment.start, segment.end) for segment in self.segments]


@dataclass(frozen=True)
class EncodedSequence:
    """One encoded input.

    Attributes:
        tokens, token_types: [T], special tokens included.
        units: positions in it that its head reads, int64 [U] or [U, 3]; by default the first token.
        targets: ids that the decoder of a text-to-text model reads for it, each with its ``</s>``: one to learn it, the
            texts of all answers to choose among them, none to write one. Its units are then one first token for each
            row of outputs: for each token of the one target, or one for the scores of all answers.
    """

    tokens: NDArray[np.integer[Any]]
    token_types: NDArray[np.integer[Any]]
    units: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    targets: tuple[NDArray[np.integer[Any]], ...] = ()

    @property
    def size(self) -> int:
        """Its tokens and those of its targets."""
        return len(self.tokens) + sum(map(len, self.targets))


def pack(corpora: Sequence[tuple[ActiveSet, str, Sequence[EncodedSequence]]], token_types: bool) -> PackedBatch:
    """Lays the sequences of some corpora end to end.

    Args:
        corpora: for each segment what it activates, its head's name, and its sequences (at least one).
        token_types: whether the encoder reads token types.
    """
    sequences = [sequence for _, _, members in corpora for sequence in members]
    lengths = [len(sequence.tokens) for sequence in sequences]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    segments: list[Segment] = []
    units: list[Tensor] = []
    first = 0
    for active, head, members in corpora:
        last = first + len(members)
        segments.append(Segment(active, head, int(starts[first]), int(starts[last])))
        flat = [sequence.units + start for sequence, start in zip(members, starts[first:last], strict=True)]
        units.append(torch.from_numpy(np.concatenate(flat)))
        first = last
    positions = np.arange(starts[-1], dtype=np.int64) - np.repeat(starts[:-1], lengths)
    types = np.concatenate([s.token_types for s in sequences]).astype(np.int64) if token_types else None
    return PackedBatch(
        tokens=torch.from_numpy(np.concatenate([s.tokens for s in sequences]).astype(np.int64)),
        positions=torch.from_numpy(positions),
        token_types=None if types is None else torch.from_numpy(types),
        lengths=lengths,
        segments=segments,
        units=units,
        targets=PackedTargets.of([sequence.targets for sequence in sequences]),
    )
