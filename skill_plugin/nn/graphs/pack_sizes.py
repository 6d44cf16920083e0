"""The sizes that packs are padded to, so that a few CUDA graphs serve them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skill_plugin.nn.activation import SegmentChoices
from skill_plugin.nn.packed_batch import PackedBatch

PARTS = ("skills", "language", "gate", "embedding")  # of an active set
SEGMENTS = 8  # of which the number of segments is a multiple
SEQUENCES = 32
LONGEST = 64
# with more than so many tokens or rows, their number is a multiple of the second: some 2 % more on average
STEPS = ((16384, 1024), (8192, 512), (4096, 256), (1024, 128), (0, 64))


def round_up(number: int, multiple: int) -> int:
    """The next multiple of a number, or the number itself."""
    return -(-number // multiple) * multiple


def padded_size(number: int) -> int:
    """The size that so many tokens or rows are padded to."""
    return round_up(number, next(multiple for limit, multiple in STEPS if number > limit or limit == 0))


@dataclass(frozen=True)
class Capacity:
    """What the packs of a run need at most, as far as they were seen.

    Attributes:
        names: of each of ``PARTS``, how many different names a pack may have.
        skills: how many task skills a segment may activate.
        quarters: how many it may on average over the tokens of a pack, times 4.
    """

    names: tuple[int, ...] = (1, 1, 1, 1)
    skills: int = 1
    quarters: int = 4

    def holding(self, choices: dict[str, SegmentChoices], lengths: Sequence[int]) -> Capacity:
        """This capacity, or one for a pack with more.

        A greater capacity is a new set of graphs. Gates, embeddings and rows cost little, so that there is room for
        some more of them at once.
        """
        needed = [len(choices[part].names) for part in PARTS]
        needed[2:] = [1 if n == 1 else round_up(n, 4) for n in needed[2:]]
        names = tuple(max(old, new) for old, new in zip(self.names, needed, strict=True))
        pairs = choices["skills"].pairs(lengths)
        quarters = -(-4 * pairs // sum(lengths))
        enough = quarters <= self.quarters
        return Capacity(names, max(self.skills, choices["skills"].most), self.quarters if enough else quarters + 1)

    def of(self, part: str) -> int:
        """How many different names of a part a pack may have."""
        return self.names[PARTS.index(part)]


@dataclass(frozen=True)
class PackSizes:
    """Every size that the kernels of a graph depend on.

    Attributes:
        tokens: N.
        sequences: S.
        longest: L, tokens of the longest sequence.
        segments: G.
    """

    tokens: int
    sequences: int
    longest: int
    segments: int

    @classmethod
    def holding(cls, batch: PackedBatch) -> PackSizes:
        """The sizes that a pack is padded to."""
        n = len(batch.tokens)
        tokens, longest = padded_size(n), round_up(max(batch.lengths), LONGEST)
        fillers = -(-(tokens - n) // longest)  # the tokens of padding are sequences of their own
        sequences = round_up(len(batch.lengths) + fillers, SEQUENCES)
        return cls(tokens, sequences, longest, round_up(len(batch.segments), SEGMENTS))


def padded_lengths(batch: PackedBatch) -> list[int]:
    """Tokens of each segment, with those of padding, which belong to the last."""
    lengths = [segment.end - segment.start for segment in batch.segments]
    lengths[-1] += padded_size(len(batch.tokens)) - len(batch.tokens)
    return lengths
