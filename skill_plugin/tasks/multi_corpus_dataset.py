"""One fairseq dataset over the splits of many corpora: their examples are numbered through, its batches are packed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from fairseq.data import FairseqDataset

from skill_plugin.data.collate import collate, collate_candidates
from skill_plugin.data.corpus_examples import CorpusExamples
from skill_plugin.data.sample import Sample
from skill_plugin.data.segment_examples import SegmentExamples
from skill_plugin.sampling.passes import Indices, cut_batches


class Drawn(NamedTuple):
    """What fairseq takes for an item: examples of one corpus.

    It says the epoch itself, so that a process which reads items needs no more, and lives as long as the run.

    Attributes:
        numbers: those that the examples have in the dataset [n].
        epoch: on which depends what is drawn when they are read; 0 for what stays the same from epoch to epoch.
    """

    numbers: Indices
    epoch: int = 0


class MultiCorpusDataset(FairseqDataset):
    """All corpora of one split. A batch is a list of ``Drawn``, one for each segment, whatever process reads it.

    Args:
        corpora: the corpora that have the split, with their index among all corpora of the run.
        token_types: whether the encoder reads token types.
        planned: batches come from the sampler's plan; otherwise every example comes once.
    """

    def __init__(self, corpora: Sequence[tuple[int, CorpusExamples]], token_types: bool, planned: bool) -> None:
        self.numbers = [number for number, _ in corpora]
        self.corpora = [examples for _, examples in corpora]
        self.token_types, self.planned = token_types, planned
        self.offsets = np.cumsum([0] + [len(examples) for examples in self.corpora])

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def __getitem__(self, drawn: Drawn) -> SegmentExamples:
        numbers, epoch = drawn
        corpus = int(np.searchsorted(self.offsets, numbers[0], side="right")) - 1
        examples = self.corpora[corpus]
        rows = (numbers - self.offsets[corpus]).tolist()
        found = [examples.example(row, epoch) for row in rows]
        return SegmentExamples(self.numbers[corpus], examples.active, examples.head, numbers, found)

    def num_tokens(self, index: int) -> int:
        """Tokens of an example, the most that it has in any epoch."""
        corpus = int(np.searchsorted(self.offsets, index, side="right")) - 1
        return int(self.corpora[corpus].lengths[index - self.offsets[corpus]])

    def size(self, index: int) -> int:
        """Tokens of an example, the most that it has in any epoch."""
        return self.num_tokens(index)

    @property
    def shortest(self) -> int:
        """Tokens of the shortest example."""
        return min(int(examples.lengths.min()) for examples in self.corpora)

    @property
    def can_reuse_epoch_itr_across_epochs(self) -> bool:
        """Each epoch has a plan of its own."""
        return False

    def ordered_batches(self, batch_size: int, max_tokens: int | None) -> list[list[Drawn]]:
        """All examples once, corpus by corpus, each batch one segment."""
        batches: list[list[Drawn]] = []
        for offset, examples in zip(self.offsets, self.corpora, strict=False):
            # examples of equal length side by side leave less padding where attention needs a padded view
            order = np.argsort(examples.lengths, kind="stable").astype(np.int64)
            sizes = examples.sequence_counts
            segments = cut_batches(order, examples.lengths, batch_size, max_tokens, sizes)
            batches += [[Drawn(segment + offset)] for segment in segments]
        return batches

    def collater(self, samples: Sequence[SegmentExamples]) -> Mapping[str, Any]:
        """A pack of the segments (none: an empty dict, fairseq's mark for no work)."""
        return Sample.of(collate(samples, self.token_types, scored=not self.planned)) if samples else {}

    def candidates_collater(self, samples: Sequence[SegmentExamples], max_tokens: int | None) -> Mapping[str, Any]:
        """Packs of candidates for uncertainty sampling, see ``collate_candidates``; an empty dict for none."""
        return Sample.of(collate_candidates(samples, self.token_types, max_tokens)) if samples else {}
