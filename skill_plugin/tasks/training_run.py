"""What a run that trains keeps beside its model, from the loading of its data to its end."""

from __future__ import annotations

import functools
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.data.label_weights import find_label_weights
from skill_plugin.errors import counted
from skill_plugin.kinds.registry import kind_named
from skill_plugin.report.share_table import format_shares
from skill_plugin.sampling.plan import Planner
from skill_plugin.sampling.training_shares import TrainingShares
from skill_plugin.tasks.data_used import Announcements, DataUsed
from skill_plugin.tasks.early_stopping import EarlyStopping
from skill_plugin.tasks.logs import log_data_used, log_shares, plan_lines
from skill_plugin.tasks.make_corpus_patience import make_corpus_patience
from skill_plugin.tasks.multi_corpus_dataset import MultiCorpusDataset
from skill_plugin.tasks.plan_iterator import PlanIterator
from skill_plugin.tasks.sampling_options import make_sampler
from skill_plugin.tasks.uncertainty_sampling import UncertaintySampling
from skill_plugin.tasks.update_losses import UpdateLosses
from skill_plugin.text.sequences.sequence_rule import one_each

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class EpochInProgress:
    """What belongs to one epoch.

    Attributes:
        plan: its batches.
        uncertainty: chooses what is trained on from batches of candidates; None for a plan that was drawn.
    """

    plan: PlanIterator
    uncertainty: UncertaintySampling | None


class TrainingRun:
    """Made when the data to train on is loaded.

    Attributes:
        shares: what the run has trained on.
        data_used: the examples among it, with uncertainty sampling; None otherwise.
        patience: which corpora have peaked, with ``--corpus-patience``; None otherwise.
        early_stopping: what ``--patience`` counts.
        losses: losses of the update that is being made.
        updates: how many were made.
        label_weights: weights of the labels of corpora with ``class_weights``, by their numbers in the run.

    Args:
        cfg: the task's configuration.
        bundle: the run's corpora.
        dataset: the training splits.
        validated: names of the corpora with a validation split.

    Raises:
        InputError: options of sampling that do not fit the data or one another.
    """

    def __init__(self, cfg: Any, bundle: Bundle, dataset: MultiCorpusDataset, validated: Collection[str]) -> None:
        self._cfg, self._dataset = cfg, dataset
        self._families = [bundle.family(name) for name in bundle.labels]
        self._sampler = make_sampler(cfg, [bundle.corpus(examples.name) for examples in dataset.corpora])
        chosen, names = self._sampler is None, list(bundle.labels)
        sizes = dict(zip(dataset.numbers, map(len, dataset.corpora), strict=True))
        self.shares = TrainingShares(names, [sizes.get(i, 0) for i in range(len(names))], by_examples=chosen)
        self.data_used = DataUsed(len(dataset)) if chosen else None
        self.patience = None
        if cfg.corpus_patience is not None:
            trained = [examples.name for examples in dataset.corpora]
            masked = [name for name in trained if kind_named(bundle.corpus(name).kind).masks]
            auxiliary = [] if cfg.mlm_batch_share is None else masked
            self.patience = make_corpus_patience(cfg.corpus_patience, trained, validated, auxiliary)
        weights = zip(dataset.numbers, map(find_label_weights, dataset.corpora), strict=True)
        self.label_weights = {number: found for number, found in weights if found is not None}
        self.early_stopping = EarlyStopping()
        self.losses = UpdateLosses(names)
        self.updates = 0
        self._planner = functools.lru_cache(self._make_planner)
        self._plan: PlanIterator | None = None

    def epoch(self, number: int, batch_size: int, max_tokens: int | None, options: dict[str, Any]) -> EpochInProgress:
        """One epoch, counted from 1.

        Args:
            number: number of the epoch.
            batch_size, max_tokens: as for ``Planner``.
            options: options of ``PlanIterator``.
        """
        data, planner = self._dataset, self._planner(batch_size, max_tokens, options["num_shards"])
        make = functools.partial(PlanIterator, data, planner, epoch=number, patience=self.patience, before=self._plan)
        if self._sampler is not None:
            self._plan = make(data.collater, **options)
            return EpochInProgress(self._plan, None)
        self._plan = make(functools.partial(data.candidates_collater, max_tokens=max_tokens), **options)
        frequency = planner.batches_of_an_update(number) // options["num_shards"]
        most = batch_size if max_tokens is None else min(batch_size, max_tokens // data.shortest)
        announcements = Announcements(options["shard_id"], options["num_shards"], frequency, max(1, most))
        uncertainty = UncertaintySampling(self._families, batch_size, max_tokens, data.token_types, announcements)
        return EpochInProgress(self._plan, uncertainty)

    def _make_planner(self, batch_size: int, max_tokens: int | None, ranks: int) -> Planner:
        corpora = self._dataset.corpora
        return Planner(
            # where they bound nothing, lengths are not looked at: of 25 million rows that takes a second
            lengths=[one_each(len(examples)) if max_tokens is None else examples.lengths for examples in corpora],
            sampler=self._sampler,
            batch_size=batch_size,
            max_tokens=max_tokens,
            seed=self._cfg.seed,
            sequences=[None if examples.one_each else examples.sequence_counts for examples in corpora],
            rows=[examples.rows for examples in corpora],
            corpora_per_batch=self._cfg.corpora_per_batch,
            update_batches=tuple(ranks * int(frequency) for frequency in self._cfg.update_freq),
        )

    @property
    def finished(self) -> bool:
        """Whether no corpus is left to train on."""
        return self.patience is not None and self.patience.finished

    def begin_epoch(self, number: int, plan: PlanIterator) -> None:
        """Counts its shares anew, and says what it is."""
        self.shares.begin_epoch(number)
        for line in plan_lines(plan):
            logger.info(line)

    def trained(self, update: int, logging_output: dict[str, Any]) -> None:
        """Takes note of a micro-batch: the number of updates before it, and what the criterion logged."""
        self.losses.add(update, logging_output)
        self.updates = update + 1

    def log(self, update: int, logging_outputs: Sequence[dict[str, Any]], plan: PlanIterator) -> None:
        """Counts what an update trained on; at the end of an epoch and of the run its shares are shown as a table."""
        log_shares(logging_outputs, plan.probabilities(len(self.shares.names)), self.shares)
        if update == self.updates and (plan.end_of_epoch() or update == self._cfg.max_update):
            logger.info(f"epoch {plan.epoch}, trained on after {counted(update, 'update')}:")
            for line in format_shares(self.shares.epoch()):
                logger.info(line)
        if self.data_used is not None:
            log_data_used(logging_outputs, self.data_used)

    def to_state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        used = {} if self.data_used is None else {"data-used": self.data_used.to_state()}
        return {**used, "shares": self.shares.to_state(), "early-stopping": self.early_stopping.to_state()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Goes on from ``to_state``.

        Raises:
            InputError: the data has another number of examples.
        """
        if self.data_used is not None:
            self.data_used.load_state(state["data-used"])
        if self.finished:
            logger.info("the corpora have peaked: nothing is left to train on")
        if "early-stopping" in state and not self._cfg.reset_meters:
            self.early_stopping.load_state(state["early-stopping"])
        if "shares" in state:
            self.shares = TrainingShares.from_state(state["shares"])
