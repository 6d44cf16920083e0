"""fairseq's iterator over a split that is scored: every example once, in order."""

from __future__ import annotations

from typing import Any

from fairseq.data import iterators

from skill_plugin.tasks.multi_corpus_dataset import MultiCorpusDataset


class OrderedIterator(iterators.EpochBatchIterator):
    """The batches of a split, dealt out to the ranks.

    Args:
        dataset: the splits.
        batch_size, max_tokens: sequences and real tokens of a batch; None for no bound of the latter.
        epoch: counted from 1.
        options: as for ``PlanIterator``.
    """

    def __init__(
        self, dataset: MultiCorpusDataset, batch_size: int, max_tokens: int | None, epoch: int, **options: Any
    ) -> None:
        batches = dataset.ordered_batches(batch_size, max_tokens)
        super().__init__(
            dataset=dataset,
            collate_fn=dataset.collater,
            batch_sampler=batches,
            epoch=epoch,
            disable_shuffling=True,
            reuse_dataloader=False,
            persistent_workers=False,
            **options,
        )
        #: batches of each rank, the last one perhaps empty
        self.own_batches = -(-len(batches) // options["num_shards"])
