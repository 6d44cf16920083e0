"""Pairs of sentences made of documents: half of them follow one another (SkillNet-X, section 3.4).

Axes: m sentences of all documents, n pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from skill_plugin.data.items.classification import ClassificationItems
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.indexed_file import IndexedFile
from skill_plugin.store.stored_split import Sizes, StoredSplit

NEXT, OTHER = 0, 1  # the labels' ids


class NextSentenceItems(ClassificationItems):
    """Classification of the pairs, as ``SentencePairs`` makes them of documents and a person asks about them."""

    def encode(self, examples: Sequence[Example]) -> list[EncodedRow]:
        """Pairs, not documents as in the store."""
        encodings = iter(self.reading.encoder.encode_batch([text for example in examples for text in example.texts]))
        return [EncodedRow(tuple(next(encodings).ids for _ in example.texts)) for example in examples]


@dataclass(frozen=True, eq=False)
class SentencePairs(StoredSplit):
    """The pairs as rows of two texts and a label: (a, the sentence after a) or (a, a sentence of another document).

    Every sentence with one after it is an a once. Which pairs are which is a function of ``seed``. A single document
    is paired with its own sentences, but a sentence neither with itself nor, as ``other``, with the one after it.
    """

    seed: int = 1

    @property
    def _file(self) -> IndexedFile:
        assert self.members is not None
        return self.members[0]

    @cached_property
    def pairs(self) -> npt.NDArray[np.int64]:
        """[n, 3]: a, b, label."""
        assert self.members is not None
        starts = self.members[1]
        firsts = np.setdiff1d(np.arange(starts[-1]), starts[1:] - 1)
        random = np.random.default_rng([self.seed, len(firsts)])
        document = np.searchsorted(starts, firsts, side="right") - 1
        # the others of a are a run of sentences that goes on from the end to the beginning
        begin, count = starts[document + 1], starts[-1] - np.diff(starts)[document]
        alone = count == 0
        begin, count = np.where(alone, firsts + 2, begin), np.where(alone, starts[-1] - 2, count)
        label = np.where((random.random(len(firsts)) < 0.5) & (count > 0), OTHER, NEXT)
        steps = (random.random(len(firsts)) * count).astype(np.int64)
        elsewhere = (begin + steps) % max(int(starts[-1]), 1)
        return np.stack([firsts, np.where(label == NEXT, firsts + 1, elsewhere), label], axis=1)

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, row: int) -> EncodedRow:
        first, second, label = self.pairs[row].tolist()
        texts = tuple(np.asarray(self._file[i], np.int32) for i in (first, second))
        return EncodedRow(texts, arrays={"label": np.array([label], np.int32)})

    @cached_property
    def text_sizes(self) -> list[Sizes]:
        sizes = self.member_sizes
        return [sizes[self.pairs[:, 0]], sizes[self.pairs[:, 1]]]


def sentence_pairs(split: StoredSplit, seed: int = 1) -> SentencePairs:
    """The pairs of a split of documents."""
    return SentencePairs((), split.members, text_file=split.text_file, seed=seed)
