"""One fairseq dataset over the splits of many corpora: its items are numbered through, its batches are packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from fairseq.data import FairseqDataset
from numpy.typing import NDArray

from skill_plugin.data.corpus_examples import CorpusExample, CorpusExamples
from skill_plugin.data.items.items import join_targets
from skill_plugin.nn.packed_batch import pack
from skill_plugin.sampling.passes import cut
from skill_plugin.sampling.plan import Planner


@dataclass(frozen=True, eq=False)
class Item:
    """One example: its number among all, and which corpus it is of."""

    number: int
    corpus: int
    example: CorpusExample


class MultiCorpusDataset(FairseqDataset):
    """All corpora of one split.

    Args:
        corpora: the corpora that have the split, with their index among all corpora of the run.
        token_types: whether the encoder reads token types.
        planned: batches come from the sampler's plan; otherwise every item comes once.
    """

    def __init__(self, corpora: Sequence[tuple[int, CorpusExamples]], token_types: bool, planned: bool) -> None:
        self.numbers = [number for number, _ in corpora]
        self.corpora = [examples for _, examples in corpora]
        self.token_types, self.planned = token_types, planned
        self.epoch = 1
        self.offsets = np.cumsum([0] + [len(examples) for examples in self.corpora])
        self.sizes = np.concatenate([examples.lengths for examples in self.corpora])

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def __getitem__(self, index: int) -> Item:
        corpus = int(np.searchsorted(self.offsets, index, side="right")) - 1
        examples, row = self.corpora[corpus], int(index) - int(self.offsets[corpus])
        # what is scored stays the same from epoch to epoch
        return Item(int(index), corpus, examples.example(row, self.epoch if self.planned else 0))

    def num_tokens(self, index: int) -> int:
        """Tokens of an item."""
        return int(self.sizes[index])

    def size(self, index: int) -> int:
        """Tokens of an item."""
        return int(self.sizes[index])

    def set_epoch(self, epoch: int) -> None:
        """Called by fairseq; what is drawn when an item is read depends on it."""
        self.epoch = epoch

    @property
    def can_reuse_epoch_itr_across_epochs(self) -> bool:
        """Each epoch has a plan of its own."""
        return False

    def planned_batches(self, planner: Planner, epoch: int, multiple: int) -> list[NDArray[np.int64]]:
        """The items of each batch of an epoch's plan."""
        return [batch.examples + self.offsets[batch.corpus] for batch in planner.plan(epoch, multiple)]

    def ordered_batches(self, batch_size: int, max_tokens: int | None) -> list[NDArray[np.int64]]:
        """All items once, corpus by corpus, each batch of one corpus."""
        batches: list[NDArray[np.int64]] = []
        for offset, examples in zip(self.offsets, self.corpora, strict=False):
            # examples of equal length side by side leave less padding where attention needs a padded view
            order = np.argsort(examples.lengths, kind="stable").astype(np.int64)
            sizes = examples.sequence_counts
            batches += [part + offset for part in cut(order, examples.lengths, batch_size, max_tokens, sizes)]
        return batches

    def collater(self, samples: Sequence[Item]) -> dict[str, Any]:
        """A pack with a segment for each corpus among the items (none: an empty dict, fairseq's mark for no work)."""
        if not samples:
            return {}
        members: dict[int, list[Item]] = {}
        for item in samples:
            members.setdefault(item.corpus, []).append(item)
        batch = pack(
            [
                (
                    self.corpora[corpus].active,
                    self.corpora[corpus].head,
                    [sequence for item in items for sequence in item.example.sequences],
                )
                for corpus, items in members.items()
            ],
            self.token_types,
        )
        sample = {
            "id": torch.tensor([item.number for items in members.values() for item in items]),
            "net_input": vars(batch),
            "corpora": [self.numbers[corpus] for corpus in members],
            "targets": [join_targets([item.example.target for item in items]) for items in members.values()],
            "nsentences": len(samples),
            "ntokens": len(batch.tokens),
        }
        if not self.planned:
            sample["examples"] = [[item.example for item in items] for items in members.values()]
        return sample
