"""fairseq's iterator over an epoch, for the plan of the sampler."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from fairseq.data import iterators
from numpy.typing import NDArray

from skill_plugin.errors import InputError
from skill_plugin.sampling.corpus_patience import CorpusPatience
from skill_plugin.sampling.epoch_plan import EpochPlan, EpochStart
from skill_plugin.sampling.plan import EpochOutline, Planner
from skill_plugin.tasks.drawn_batches import DrawnBatches
from skill_plugin.tasks.multi_corpus_dataset import Drawn, MultiCorpusDataset


class PlanIterator(iterators.EpochBatchIterator):
    """The batches of one epoch's plan, in the plan's order, dealt out to the ranks.

    What a plan depends on beside seed and epoch, the corpora that earlier validations froze out, rides in the state of
    the iterator: fairseq restores it before the rest of what a checkpoint says. So does where the epoch begins.

    Args:
        dataset: the training splits.
        planner: planner of the run, before anything is frozen out.
        collater: makes a sample of the segments of a batch.
        epoch: counted from 1.
        patience: freezes corpora out; None if nothing does.
        before: the iterator of the epoch before, which knows where this one begins, and whose processes go on reading;
            None where there was none.
        options: ``seed``, ``num_shards``, ``shard_id``, ``num_workers`` and ``buffer_size`` of fairseq's iterator.
    """

    def __init__(
        self,
        dataset: MultiCorpusDataset,
        planner: Planner,
        collater: Callable[..., Any],
        epoch: int,
        patience: CorpusPatience | None = None,
        before: PlanIterator | None = None,
        **options: Any,
    ) -> None:
        self._planner, self._patience = planner, patience
        self._known = None if before is None else before.following(planner)
        super().__init__(
            dataset=dataset,
            collate_fn=collater,
            batch_sampler=lambda *_: self.frozen_batches,  # made anew for each epoch
            epoch=epoch,
            disable_shuffling=True,
            reuse_dataloader=True,
            persistent_workers=True,
            **options,
        )
        if before is not None and before.dataloader is not None:  # its processes read on, what they are told to
            self.dataloader, self.epoch_batch_sampler = before.dataloader, before.epoch_batch_sampler
            self.epoch_batch_sampler.ordered_batches = self.ordered_batches

    _frozen_batches: EpochPlan | None
    dataloader: Any
    epoch_batch_sampler: Any

    @property
    def frozen_batches(self) -> EpochPlan:
        """The plan of the epoch, which fairseq would take apart into a tuple."""
        if self._frozen_batches is None:
            self._frozen_batches = self.planner.plan(self.epoch, self._known)
        return self._frozen_batches

    @property
    def first_batch(self) -> Any:
        """One example, without a plan; fairseq keeps it for ranks that have no batch, of which there are none."""
        return self.collate_fn([self.dataset[Drawn(np.zeros(1, np.int64), self.epoch)]])

    def ordered_batches(self, epoch: int, fix_batches_to_gpus: bool, shuffle: bool) -> Sequence[list[Drawn]]:
        """The batches of this rank, which are as many as those of the others; none is made before it is read."""
        return DrawnBatches(self.frozen_batches[self.shard_id :: self.num_shards], self.dataset.offsets, epoch)

    @property
    def names(self) -> list[str]:
        """The corpora of the planner, in its order."""
        return [examples.name for examples in self.dataset.corpora]

    @cached_property
    def planner(self) -> Planner:
        """The planner of the epoch and of those before it."""
        frozen_out = {} if self._patience is None else self._patience.frozen_out
        return self._planner.without({i: frozen_out[name] for i, name in enumerate(self.names) if name in frozen_out})

    def following(self, planner: Planner) -> EpochStart | None:
        """Where the epoch after this one begins; None where that is not known, or with another planner."""
        made = self._frozen_batches is not None and planner is self._planner
        return self.frozen_batches.following if made else None

    @property
    def next_epoch_idx(self) -> float:
        """Not a number where nothing is left to train on: fairseq goes on while this is at most ``--max-epoch``."""
        if self._patience is not None and self._patience.finished:
            return math.nan
        return int(super().next_epoch_idx)

    def state_dict(self) -> dict[str, Any]:
        """fairseq's, where the epoch that goes on begins, and what is frozen out."""
        state: dict[str, Any] = super().state_dict()
        plan = self.frozen_batches
        start = plan.start if state["epoch"] == self.epoch else plan.following
        examples = dict(zip(self.names, start.examples, strict=True))
        state["start"] = {"epoch": start.epoch, "updates": start.updates, "examples": examples}
        return state if self._patience is None else {**state, "patience": self._patience.to_state()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Plans anew, as what is frozen out says, and goes on from there.

        Raises:
            InputError: the run stopped further on than this plan goes.
        """
        self._known = None  # a checkpoint of an earlier version does not say it
        if "start" in state_dict:
            start = state_dict["start"]
            examples = tuple(start["examples"].get(name, 0) for name in self.names)
            self._known = EpochStart(start["epoch"], start["updates"], examples)
        if self._patience is not None and "patience" in state_dict:
            self._patience.load_state(state_dict["patience"])
        for settled in ("planner", "outline"):
            self.__dict__.pop(settled, None)
        self._frozen_batches = None
        try:
            super().load_state_dict(state_dict)
        except RuntimeError as error:  # the stop lies behind the plan's end, before the task could compare options
            raise InputError(
                "cannot resume: the plan of the epoch is shorter than where the run stopped, so ranks or options of "
                "batches and sampling are others; keep them, or start a new plan with --reset-dataloader"
            ) from error

    @cached_property
    def outline(self) -> EpochOutline:
        """What is settled about the epoch."""
        return self.planner.outline(self.epoch, self._known)

    def probabilities(self, corpora: int) -> NDArray[np.float64] | None:
        """Probabilities of the run's corpora [corpora], 0 for one without a training split; None for candidates."""
        if self.outline.probabilities is None:
            return None
        found = np.zeros(corpora)
        found[self.dataset.numbers] = self.outline.probabilities
        return found
