"""Pairs of spans of sentences, made of documents: half of them follow one another (Devlin et al. 2019, section 3.1).

Axes: n sentences of all documents, S pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from skill_plugin.kinds.classification.items import ClassificationItems
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow, Ids
from skill_plugin.store.indexed_file import IndexedFile
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.sequences.sentence_spans import SentenceSpans, fill_spans
from skill_plugin.text.sequences.sequence_rule import SequenceLengths
from skill_plugin.text.windows import Counts

NEXT, OTHER = 0, 1  # the labels' ids
_TRIES = 8  # sentences of elsewhere, of which the first one that is short enough is taken


class NextSentenceItems(ClassificationItems):
    """Classification of the pairs, as ``SentencePairs`` makes them of documents and a person asks about them."""

    nothing = "has no two sentences in a row"
    rule: SentenceSpans

    def encode(self, examples: Sequence[Example]) -> list[EncodedRow]:
        """Pairs, not documents as in the store."""
        encodings = iter(self.reading.encoder.encode_batch([text for example in examples for text in example.texts]))
        return [EncodedRow(tuple(next(encodings).ids for _ in example.texts)) for example in examples]

    def drawn(self, split: StoredSplit, seed: int) -> StoredSplit:
        return sentence_pairs(split, self.rule.room, seed)

    def lengths(self, split: StoredSplit, training: bool = False) -> SequenceLengths:
        """Of each pair, which is a row here, the most that it can be, whatever is drawn: its plan is made before."""
        assert isinstance(split, SentencePairs)
        tokens = self.rule.span_lengths(split.member_sizes, split.spans)
        return SequenceLengths(self.rule.limited(tokens), np.ones(len(tokens), np.int64))


@dataclass(frozen=True)
class Pair:
    """Two runs of sentences, ``[first, last)`` each, and the label."""

    a: tuple[int, int]
    b: tuple[int, int]
    label: int


@dataclass(frozen=True, eq=False)
class SentencePairs(StoredSplit):
    """The pairs as rows of two texts and a label: a span cut in two, or its first part and sentences of elsewhere.

    Spans are ``text.sequences.fill_spans``: as long as a sequence has room for, and the same in every epoch. What
    is drawn of each depends on ``seed``, the epoch and its number alone: where it is cut in two, whether its second
    part is kept (NEXT, one half) or replaced (OTHER), and by what: the sentences from any one of another document on,
    as many as are no longer than the part that they replace; where none of some drawn sentences is that short, the
    beginning of one. So lengths do not tell the label. A single document is paired with its own sentences outside of
    the span; where there are none, all that is left is NEXT.

    Attributes:
        room: tokens of both texts together.
    """

    seed: int = 1
    room: int = 0

    @property
    def _file(self) -> IndexedFile:
        assert self.members is not None
        return self.members[0]

    @property
    def _starts(self) -> Counts:
        """Number of each document's first sentence, and n."""
        assert self.members is not None
        return self.members[1]

    @cached_property
    def spans(self) -> npt.NDArray[np.int64]:
        """First sentence and one past the last of each pair's span [S, 2]."""
        return fill_spans(self.member_sizes, self._starts, self.room)

    def __len__(self) -> int:
        return len(self.spans)

    def pair(self, row: int, epoch: int = 0) -> Pair:
        """What is drawn of a span in an epoch."""
        random = np.random.default_rng([self.seed, epoch, row])
        first, end = self.spans[row].tolist()
        cut = int(random.integers(first + 1, end))
        room = int(self.member_sizes[cut:end].sum())
        b = self._elsewhere(first, end, room, random) if random.random() < 0.5 else None
        return Pair((first, cut), (cut, end), NEXT) if b is None else Pair((first, cut), b, OTHER)

    def _elsewhere(self, first: int, end: int, room: int, random: np.random.Generator) -> tuple[int, int] | None:
        """Sentences of another document, or else outside of the span, ``room`` tokens of them but one at least."""
        starts, count = self._starts, int(self._starts[-1])
        document = int(np.searchsorted(starts, first, side="right")) - 1
        begin, stop = int(starts[document]), int(starts[document + 1])
        if stop - begin == count:  # there is no other document with a sentence
            begin, stop = first, end
        if stop - begin == count:
            return None
        drawn = (stop + random.integers(count - (stop - begin), size=_TRIES)) % count
        start = int(next((one for one in drawn if self.member_sizes[one] <= room), drawn[-1]))
        ends = int(starts[int(np.searchsorted(starts, start, side="right"))])
        ends = min(first if start < first < ends else ends, start + max(room, 1))  # few sentences have no token
        totals = np.cumsum(self.member_sizes[start:ends])
        return start, start + max(1, int(np.searchsorted(totals, room, side="right")))

    def row(self, number: int, epoch: int) -> EncodedRow:
        pair = self.pair(number, epoch)
        a, b = self._text(*pair.a), self._text(*pair.b)
        room = int(self.member_sizes[slice(*self.spans[number])].sum()) - len(a)
        return EncodedRow((a, b[:room]), arrays={"label": np.array([pair.label], np.int32)})

    def __getitem__(self, row: int) -> EncodedRow:
        return self.row(row, 0)

    def _text(self, first: int, end: int) -> Ids:
        return np.concatenate([np.asarray(self._file[i], np.int32) for i in range(first, end)])


def sentence_pairs(split: StoredSplit, room: int, seed: int = 1) -> SentencePairs:
    """The pairs of a split of documents, see ``SentencePairs``."""
    return SentencePairs(
        split.storage, (), split.members, original=split.original, prepared=split.prepared, seed=seed, room=room
    )
