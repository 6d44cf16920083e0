"""fairseq's iterator over an epoch, for the plan of the sampler."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from fairseq.data import iterators
from numpy.typing import NDArray

from skill_plugin.data.multi_corpus_dataset import MultiCorpusDataset
from skill_plugin.sampling.plan import Epoch, Planner


class PlanIterator(iterators.EpochBatchIterator):
    """The batches of one epoch's plan, in the plan's order, dealt out to the ranks.

    Args:
        dataset: the training splits.
        planner: of the run.
        collater: makes a sample of the parts of a batch.
        epoch: counted from 1.
        options: ``seed``, ``num_shards``, ``shard_id``, ``num_workers`` and ``buffer_size`` of fairseq's iterator.
    """

    def __init__(
        self, dataset: MultiCorpusDataset, planner: Planner, collater: Callable[..., Any], epoch: int, **options: Any
    ) -> None:
        self.planner = planner
        super().__init__(
            dataset=dataset,
            collate_fn=collater,
            batch_sampler=dataset.planned_batches(planner, epoch),
            epoch=epoch,
            disable_shuffling=True,
            # a worker that outlived the epoch would go on with its copy of the old plan
            reuse_dataloader=False,
            persistent_workers=False,
            **options,
        )

    @property
    def names(self) -> list[str]:
        """The corpora of the planner, in its order."""
        return [examples.name for examples in self.dataset.corpora]

    @cached_property
    def planned(self) -> Epoch:
        """What is settled about the epoch."""
        return self.planner.epoch(self.epoch)

    def probabilities(self, corpora: int) -> NDArray[np.float64] | None:
        """Of each of the run's corpora, 0 for one without a training split [corpora]; None for candidates."""
        if self.planned.probabilities is None:
            return None
        found = np.zeros(corpora)
        found[self.dataset.numbers] = self.planned.probabilities
        return found
