"""``multilingual_multitask``: one encoder, many corpora, as a fairseq task."""

import contextlib
import logging
from dataclasses import replace
from typing import Any

import torch
from fairseq import models
from fairseq.data import Dictionary
from fairseq.logging import metrics
from fairseq.tasks import FairseqTask, register_task

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.origin import Origin
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.data.sample import move_sample
from skill_plugin.kinds.items import Items
from skill_plugin.metrics.corpus_metrics import CorpusMetrics
from skill_plugin.nn.bank import chosen_by_tokens
from skill_plugin.optim.active_optimizer import ActiveOptimizer
from skill_plugin.tasks.best_of_corpora import BestOfCorpora
from skill_plugin.tasks.check_run import check_best, check_run
from skill_plugin.tasks.early_stopping import EarlyStopping
from skill_plugin.tasks.load_split import load_split, scored_rows, scored_splits
from skill_plugin.tasks.logs import corpus_scores, count_drawn, log_corpora, peak_lines
from skill_plugin.tasks.multi_corpus_dataset import MultiCorpusDataset
from skill_plugin.tasks.multilingual_multitask_config import MultilingualMultitaskConfig
from skill_plugin.tasks.new_model import make_new_model
from skill_plugin.tasks.ordered_iterator import OrderedIterator
from skill_plugin.tasks.resume import check_resume, resume_conditions
from skill_plugin.tasks.run_options import check_run_options
from skill_plugin.tasks.run_watch import RunWatch
from skill_plugin.tasks.training_run import EpochInProgress, TrainingRun
from skill_plugin.tasks.update_losses import UpdateLosses
from skill_plugin.tasks.validation_progress import ValidationProgress, line_interval
from skill_plugin.text_to_text.make_items import make_items
from skill_plugin.variants.catalogue import ARCHITECTURES

logger = logging.getLogger(__name__)


@register_task("multilingual_multitask", dataclass=MultilingualMultitaskConfig)
class MultilingualMultitaskTask(FairseqTask):
    """Builds the model from the corpora file, the data folder and the pretrained encoder, and feeds it by the plan.

    fairseq's hooks give it what it knows in this order, and nothing is used before it is there:

    Attributes:
        bundle: what a checkpoint carries; with the model, or from a checkpoint that is loaded.
        metrics: how each corpus is scored; with the first split that is loaded, and with each further one.
        training: what the run keeps while it trains; with the data to train on.
        epoch: the plan that is followed; with each epoch.
        best_of_corpora: which corpora are better than before, with ``--keep-best-per-corpus``; None otherwise.
    """

    bundle: Bundle
    metrics: CorpusMetrics
    training: TrainingRun
    epoch: EpochInProgress

    def __init__(self, cfg: MultilingualMultitaskConfig, from_checkpoint: bool = False) -> None:
        super().__init__(cfg)
        self.best_of_corpora = BestOfCorpora() if cfg.keep_best_per_corpus else None
        self._items: dict[int, Items] = {}
        self._progress = ValidationProgress("valid", batches=0, interval=0)
        self._scored = False

    @classmethod
    def check_options(cls, cfg: Any, trains: bool) -> None:
        """Refuses wrong options before anything is loaded; ``cfg`` is fairseq's whole configuration."""
        check_run_options(cfg, trains, tuple(ARCHITECTURES))

    def check_run(self, cfg: Any) -> None:
        """Refuses what does not fit the data before training; ``cfg`` is fairseq's whole configuration."""
        check_run(cfg)
        if not cfg.dataset.disable_validation:
            check_best(cfg, self.datasets, self.metrics)

    # ---- model and checkpoints

    def build_model(self, cfg: Any, from_checkpoint: bool = False) -> Any:
        """A model for the bundle; a new one with weights of ``--init-from``."""
        if hasattr(self, "bundle"):  # of a checkpoint, whose weights will follow
            return models.build_model(cfg, self, from_checkpoint)
        new = make_new_model(self.cfg, cfg)
        self.bundle = new.bundle
        model = models.build_model(cfg, self, from_checkpoint)
        self.bundle = new.initialise(model.model)
        return model

    def state_dict(self) -> dict[str, Any]:
        """The bundle: what every checkpoint of the run carries."""
        return {"bundle": self.bundle.to_state()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes the bundle of a checkpoint in place of the corpora file."""
        if "bundle" in state_dict:
            self.bundle = Bundle.from_state(state_dict["bundle"])

    def get_checkpoint_dict(self) -> dict[str, Any]:
        """What a resumed run must have in common with the one that stopped, and what it goes on from."""
        origin = None if self.bundle.origin is None else self.bundle.origin.to_state()
        conditions = self._conditions()
        return {type(self).__name__: {**conditions, "origin": origin, **self.training.to_state()}}

    def set_checkpoint_dict(self, stopped: dict[str, Any]) -> None:
        """Refuses to resume where the plan or the labels would be others."""
        self.bundle = replace(self.bundle, origin=Origin.from_state(stopped.get("origin")) or self.bundle.origin)
        check_resume(stopped, self._conditions())
        self.training.load_state(stopped)

    def _conditions(self) -> dict[str, Any]:
        return resume_conditions(self.bundle, self.cfg, {split: one.corpora for split, one in self.datasets.items()})

    # ---- data

    def has_sharded_data(self, split: str) -> bool:
        """Never: a colon in the data folder's path belongs to its name, where fairseq takes it for several folders."""
        return False

    def load_dataset(self, split: str, combine: bool = False, **kwargs: Any) -> None:
        """The corpora that have the split, with answers."""
        # fairseq asks for the data to train on with an argument that no other caller has
        planned = "data_selector" in kwargs
        dataset = self.datasets[split] = load_split(self.bundle, self.cfg, split, planned)
        scored = scored_splits(self.datasets)
        self.metrics = self.bundle.metrics(scored_rows(scored))
        if planned:
            validated = {examples.name for one in scored.values() for examples in one.corpora}
            self.training = TrainingRun(self.cfg, self.bundle, dataset, validated)

    def get_batch_iterator(
        self,
        dataset: MultiCorpusDataset,
        max_tokens: int | None = None,
        max_sentences: int | None = None,
        seed: int = 1,
        num_shards: int = 1,
        shard_id: int = 0,
        num_workers: int = 0,
        epoch: int = 1,
        data_buffer_size: int = 0,
        **unused: Any,
    ) -> Any:
        """The epoch's plan for the training split; every other split once, in order."""
        batch_size = max_sentences or len(dataset)
        ranks = {"num_shards": num_shards, "shard_id": shard_id}
        options = {"seed": seed, **ranks, "num_workers": num_workers, "buffer_size": data_buffer_size}
        if dataset.planned:
            self.epoch = self.training.epoch(epoch, batch_size, max_tokens, options)
            return self.epoch.plan
        batches = OrderedIterator(dataset, batch_size, max_tokens, epoch, **options)
        split = next((split for split, one in self.datasets.items() if one is dataset), "valid")
        interval = line_interval(self.cfg) if shard_id == 0 else 0
        self._progress = ValidationProgress(split, batches.own_batches, interval)
        return batches

    def max_positions(self) -> int | None:
        """Nothing is too long, since sequences are truncated when they are read."""
        return None

    @property
    def source_dictionary(self) -> Dictionary:
        """The vocabulary as fairseq's dictionary."""
        dictionary = Dictionary()
        for symbol in self.bundle.text_encoder.vocabulary.symbols[dictionary.nspecial :]:
            dictionary.add_symbol(symbol)
        return dictionary

    @property
    def target_dictionary(self) -> None:
        """There is no target side."""
        return None

    # ---- training

    def watch(self, cfg: Any, trainer: Any) -> RunWatch:
        """What shows and keeps the numbers of a run; ``cfg`` is fairseq's whole configuration."""
        return RunWatch(cfg, trainer, self.names)

    def begin_epoch(self, epoch: int, model: Any) -> None:
        """Says what the epoch's plan is."""
        self.training.begin_epoch(epoch, self.epoch.plan)

    def train_step(
        self, sample: Any, model: Any, criterion: Any, optimizer: Any, update_num: int, ignore_grad: bool = False
    ) -> Any:
        """Forward and backward of one pack, which uncertainty sampling chooses first."""
        model.train()
        model.set_num_updates(update_num)
        sample = move_sample(sample, next(model.parameters()).device)
        chosen: dict[str, torch.Tensor] = {}
        if self.epoch.uncertainty is not None:
            # a context of its own: autocast would hand weights cast without gradients on to the step
            with self._autocast(sample["packs"][0]):
                sample, chosen = self.epoch.uncertainty.choose(model, sample)
        with self._autocast(sample):
            loss, sample_size, logging_output = criterion(model, {**sample, "update": update_num})
        self.training.trained(update_num, logging_output)
        logging_output.update(chosen, drawn=count_drawn(sample, len(self.names)))
        if ignore_grad:
            loss = loss * 0
        optimizer.backward(loss)
        return loss, sample_size, logging_output

    def optimizer_step(self, optimizer: Any, model: Any, update_num: int) -> None:
        """Tells the plugin's optimizers where gradients of zeros can be, so that they need not look everywhere."""
        if isinstance(optimizer, ActiveOptimizer):
            # of a rank that has no batch in an epoch's last update, and of experts without tokens
            optimizer.zeros_are_none = self.epoch.plan.end_of_epoch()
            if optimizer.may_rest is None:
                optimizer.may_rest = chosen_by_tokens(model)
        super().optimizer_step(optimizer, model, update_num)

    def _autocast(self, sample: Any) -> Any:
        if str(self.cfg.autocast) == "none":
            return contextlib.nullcontext()
        return torch.autocast(sample["net_input"]["tokens"].device.type, torch.bfloat16)

    @property
    def update_losses(self) -> UpdateLosses:
        """Losses of the update that is being made."""
        return self.training.losses

    @property
    def early_stopping(self) -> EarlyStopping:
        """What ``--patience`` counts."""
        return self.training.early_stopping

    @property
    def finished(self) -> bool:
        """Whether the run is to end: no corpus is left to train on."""
        return self.training.finished

    # ---- validation

    def begin_valid_epoch(self, epoch: int, model: Any) -> None:
        """Forgets the sums of earlier validations, which fairseq would keep in every checkpoint."""
        metrics.reset_meters("valid")
        self._scored = False

    def valid_step(self, sample: Any, model: Any, criterion: Any) -> Any:
        """Forward of one pack in evaluation mode."""
        model.eval()
        sample = move_sample(sample, next(model.parameters()).device)
        with torch.no_grad(), self._autocast(sample):
            found = criterion(model, sample)
        self._progress.step()
        return found

    def post_validate(self, model: Any, stats: dict[str, Any], aggregator: Any) -> None:
        """Takes note of each corpus's score, on the first of the validation splits as fairseq does for its best."""
        patience, first = self.training.patience, not self._scored
        self._scored = True
        if not first or (self.best_of_corpora is None and patience is None):
            return
        update, scores = stats["num_updates"], corpus_scores(aggregator, self.metrics)
        higher = {metric.corpus: metric.metric.higher_is_better for metric in self.metrics}
        if self.best_of_corpora is not None:
            self.best_of_corpora.validated(update, scores, higher)
        if patience is not None:
            peaked = patience.validated(self.epoch.plan.epoch, update, scores, higher)
            for line in peak_lines(peaked, patience, self.metrics):
                logger.info(line)

    def reduce_metrics(self, logging_outputs: list[dict[str, Any]], criterion: Any) -> None:
        """fairseq's own numbers, then those of each corpus."""
        super().reduce_metrics(logging_outputs, criterion)
        if logging_outputs:
            log_corpora(logging_outputs, self.metrics)

    def log_update(self, update: int, logging_outputs: list[dict[str, Any]]) -> None:
        """Counts what an update trained on, the one of this number from 1; later ones may have been launched."""
        self.training.log(update, logging_outputs, self.epoch.plan)

    # ---- what criterions ask

    @property
    def names(self) -> list[str]:
        """The corpora of the run, in order."""
        return list(self.bundle.labels)

    def items(self, corpus: int) -> Items:
        """How the rows of one of the run's corpora are read and answered."""
        if corpus not in self._items:
            self._items[corpus] = make_items(corpus_reading(self.bundle, self.names[corpus]))
        return self._items[corpus]

    def label_weights(self, corpus: int) -> torch.Tensor | None:
        """The weights of the labels of one of the run's corpora in training; None where all count the same."""
        return self.training.label_weights.get(corpus)
