"""``multilingual_multitask``: one encoder, many corpora, as a fairseq task."""

import contextlib
import functools
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from fairseq import models
from fairseq.data import Dictionary, iterators
from fairseq.distributed import utils as distributed_utils
from fairseq.logging import metrics
from fairseq.tasks import FairseqTask, register_task

from skill_plugin.checkpoints.base_fingerprint import base_fingerprint
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.initial_weights import initialise_from, read_initial_weights
from skill_plugin.checkpoints.origin import Origin
from skill_plugin.checkpoints.reuse import reuse_of
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.files.locks import lock_until_exit
from skill_plugin.kinds.items import Items, make_items
from skill_plugin.kinds.registry import kind_named
from skill_plugin.metrics.corpus_metrics import CorpusMetrics
from skill_plugin.report.share_table import share_lines
from skill_plugin.sampling.corpus_patience import CorpusPatience
from skill_plugin.sampling.plan import Planner
from skill_plugin.sampling.shares import Shares
from skill_plugin.spec.corpus import Corpus
from skill_plugin.tasks.best_of_corpora import BestOfCorpora
from skill_plugin.tasks.choosing import check_choosing, check_keeping
from skill_plugin.tasks.data_used import Announcements, DataUsed
from skill_plugin.tasks.load_split import load_split
from skill_plugin.tasks.logs import corpus_scores, drawn, log_corpora, log_data_used, log_shares, peak_lines, plan_lines
from skill_plugin.tasks.make_corpus_patience import make_corpus_patience
from skill_plugin.tasks.multi_corpus_dataset import MultiCorpusDataset
from skill_plugin.tasks.multilingual_multitask_config import MultilingualMultitaskConfig
from skill_plugin.tasks.plan_iterator import PlanIterator
from skill_plugin.tasks.resume import check_resume, resume_conditions
from skill_plugin.tasks.run_options import check_run_options
from skill_plugin.tasks.sampling_options import sampler
from skill_plugin.tasks.start import bundle_from_data
from skill_plugin.tasks.uncertainty_sampling import UncertaintySampling
from skill_plugin.tasks.update_losses import UpdateLosses
from skill_plugin.tasks.validation_progress import ValidationProgress, line_interval
from skill_plugin.variants.catalogue import ARCHITECTURES

logger = logging.getLogger(__name__)


@register_task("multilingual_multitask", dataclass=MultilingualMultitaskConfig)
class MultilingualMultitaskTask(FairseqTask):
    """Builds the model from the corpora file, the data folder and the pretrained encoder, and feeds it by the plan.

    The bundle is what a checkpoint carries (``state_dict``); a checkpoint that is loaded brings its own.
    """

    def __init__(self, cfg: MultilingualMultitaskConfig, from_checkpoint: bool = False) -> None:
        super().__init__(cfg)
        self.bundle: Bundle | None = None
        self._items: dict[int, Items] = {}
        self._metrics: CorpusMetrics | None = None
        self._uncertainty: UncertaintySampling | None = None
        self._used: DataUsed | None = None
        self.best_of_corpora = BestOfCorpora() if cfg.keep_best_per_corpus else None
        self._scored = False
        self._plan: PlanIterator | None = None
        self._validation: ValidationProgress | None = None
        self._shares: Shares | None = None
        self._patience: CorpusPatience | None = None
        self._updates = 0

    @classmethod
    def check_options(cls, cfg: Any, trains: bool) -> None:
        """Refuses wrong options before anything is loaded; ``cfg`` is fairseq's whole configuration."""
        check_run_options(cfg, trains, tuple(ARCHITECTURES))

    def has_sharded_data(self, split: str) -> bool:
        """Never: a colon in the data folder's path belongs to its name, where fairseq takes it for several folders."""
        return False

    @property
    def names(self) -> list[str]:
        """The corpora of the run, in order."""
        assert self.bundle is not None
        return list(self.bundle.labels)

    @functools.cached_property
    def update_losses(self) -> UpdateLosses:
        """Of the update that is being made."""
        return UpdateLosses(self.names)

    @property
    def corpora(self) -> list[Corpus]:
        """What the corpora file says of them."""
        assert self.bundle is not None
        return [self.bundle.corpus(name) for name in self.names]

    @property
    def metrics(self) -> CorpusMetrics:
        """How each corpus is scored, with room for the answers to every split that was loaded."""
        assert self.bundle is not None
        if self._metrics is None:  # asked for at every step
            rows: dict[str, int] = {}
            for dataset in self.datasets.values():
                for examples in () if dataset.planned else dataset.corpora:
                    rows[examples.name] = max(rows.get(examples.name, 0), len(examples))
            self._metrics = self.bundle.metrics(rows)
        return self._metrics

    def items(self, corpus: int) -> Items:
        """How the rows of one of the run's corpora are read and answered."""
        if corpus not in self._items:
            assert self.bundle is not None
            self._items[corpus] = make_items(corpus_reading(self.bundle, self.names[corpus]))
        return self._items[corpus]

    def state_dict(self) -> dict[str, Any]:
        """The bundle: what every checkpoint of the run carries."""
        return {"bundle": self.bundle.to_state()} if self.bundle is not None else {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes the bundle of a checkpoint in place of the corpora file."""
        if "bundle" in state_dict:
            self.bundle = Bundle.from_state(state_dict["bundle"])

    def get_checkpoint_dict(self) -> dict[str, Any]:
        """What a resumed run must have in common with the one that stopped."""
        assert self.bundle is not None
        state = resume_conditions(self.bundle, self.cfg)
        state["origin"] = None if self.bundle.origin is None else self.bundle.origin.to_state()
        if self._used is not None:
            state["data-used"] = self._used.to_state()
        if self._shares is not None:
            state["shares"] = self._shares.to_state()
        return {type(self).__name__: state}

    def set_checkpoint_dict(self, stopped: dict[str, Any]) -> None:
        """Refuses to resume where the plan or the labels would be others."""
        assert self.bundle is not None
        self.bundle = replace(self.bundle, origin=Origin.from_state(stopped.get("origin")) or self.bundle.origin)
        check_resume(stopped, resume_conditions(self.bundle, self.cfg))
        if self._used is not None:
            self._used.load_state(stopped["data-used"])
        if self.finished:
            logger.info("the corpora have peaked: nothing is left to train on")
        if "shares" in stopped:
            self._shares = Shares.from_state(stopped["shares"])

    def build_model(self, cfg: Any, from_checkpoint: bool = False) -> Any:
        """A model for the bundle; with weights of ``--init-from`` unless a checkpoint's will follow."""
        initial = read_initial_weights(self.cfg.init_from) if self.cfg.init_from and self.bundle is None else None
        if self.bundle is None:
            self.bundle = bundle_from_data(self.cfg, cfg, initial)
            started = [name for name in self.names if self.bundle.corpus(name).starts]
            if started and (initial is None or initial.bundle is None):
                logger.warning(
                    "gate_from, head_from and embedding_from need --init-from a checkpoint of this plugin: "
                    f"{', '.join(started)} start without"
                )
            if self.bundle.freeze != "none" and initial is None:
                logger.warning(f"--freeze {self.bundle.freeze} without --init-from: random weights are frozen")
        model = models.build_model(cfg, self, from_checkpoint)
        if initial is not None:
            reuse = None if initial.bundle is None else reuse_of(self.bundle, initial.bundle, initial.file)
            origin = initialise_from(model.model, initial, reuse)
            self.bundle = replace(self.bundle, origin=origin)
            for line in origin.lines:
                logger.info(line)
            if self.bundle.lora.rank:
                self.bundle = replace(self.bundle, base=base_fingerprint(model.model))
        return model

    def load_dataset(self, split: str, combine: bool = False, **kwargs: Any) -> None:
        """The corpora that have the split, with answers."""
        assert self.bundle is not None
        # fairseq asks for the data to train on with an argument that no other caller has
        planned = "data_selector" in kwargs
        self.datasets[split] = load_split(self.bundle, self.cfg, split, planned)
        self._metrics = None

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
        options = {
            "seed": seed,
            "num_shards": num_shards,
            "shard_id": shard_id,
            "num_workers": num_workers,
            "buffer_size": data_buffer_size,
        }
        if not dataset.planned:
            batches = dataset.ordered_batches(batch_size, max_tokens)
            split = next((split for split, one in self.datasets.items() if one is dataset), "valid")
            own = -(-len(batches) // num_shards)
            self._validation = ValidationProgress(split, own, line_interval(self.cfg) if shard_id == 0 else 0)
            return iterators.EpochBatchIterator(
                dataset=dataset,
                collate_fn=dataset.collater,
                batch_sampler=batches,
                epoch=epoch,
                disable_shuffling=True,
                reuse_dataloader=False,
                persistent_workers=False,
                **options,
            )
        assert self.bundle is not None
        planner = self._planner(dataset, batch_size, max_tokens, num_shards)
        collater = dataset.collater
        if planner.sampler is None:
            frequency = planner.batches_of_an_update(epoch) // num_shards
            most = batch_size if max_tokens is None else min(batch_size, max_tokens // int(dataset.sizes.min()))
            announcements = Announcements(shard_id, num_shards, frequency, max(1, most))
            self._uncertainty = UncertaintySampling(
                [self.bundle.family(name) for name in self.names],
                batch_size,
                max_tokens,
                dataset.token_types,
                announcements,
            )
            self._used = self._used or DataUsed(len(dataset))
            collater = functools.partial(dataset.candidates_collater, max_tokens=max_tokens)
        if self._shares is None:
            sizes = dict(zip(dataset.numbers, map(len, dataset.corpora), strict=True))
            self._shares = Shares(
                self.names, [sizes.get(i, 0) for i in range(len(self.names))], planner.sampler is None
            )
        if self.cfg.corpus_patience is not None and self._patience is None:
            trained = [one.name for one in dataset.corpora]
            masked = [one.name for one in self.corpora if kind_named(one.kind).masks and one.name in trained]
            validated = {one.name for data in self.datasets.values() if not data.planned for one in data.corpora}
            auxiliary = [] if self.cfg.mlm_batch_share is None else masked
            self._patience = make_corpus_patience(self.cfg.corpus_patience, trained, validated, auxiliary)
        self._plan = PlanIterator(dataset, planner, collater, epoch, self._patience, **options)
        return self._plan

    @property
    def finished(self) -> bool:
        """Whether the run is to end: no corpus is left to train on."""
        return self._patience is not None and self._patience.finished

    def _planner(self, dataset: MultiCorpusDataset, batch_size: int, max_tokens: int | None, ranks: int) -> Planner:
        assert self.bundle is not None
        return Planner(
            lengths=[examples.lengths for examples in dataset.corpora],
            sampler=sampler(self.cfg, [self.bundle.corpus(examples.name) for examples in dataset.corpora]),
            batch_size=batch_size,
            max_tokens=max_tokens,
            seed=self.cfg.seed,
            sequences=[examples.sequence_counts for examples in dataset.corpora],
            rows=[examples.rows for examples in dataset.corpora],
            corpora_per_batch=self.cfg.corpora_per_batch,
            update_batches=tuple(ranks * int(frequency) for frequency in self.cfg.update_freq),
        )

    def begin_epoch(self, epoch: int, model: Any) -> None:
        """Says what the epoch's plan is."""
        assert self._plan is not None
        assert self._shares is not None
        self._shares.begin_epoch(epoch)
        for line in plan_lines(self._plan):
            logger.info(line)

    def train_step(
        self, sample: Any, model: Any, criterion: Any, optimizer: Any, update_num: int, ignore_grad: bool = False
    ) -> Any:
        """Forward and backward of one pack, which uncertainty sampling chooses first."""
        model.train()
        model.set_num_updates(update_num)
        chosen: dict[str, torch.Tensor] = {}
        if "candidates" in sample:
            assert self._uncertainty is not None
            # a context of its own: autocast would hand weights cast without gradients on to the step
            with self._autocast(sample["packs"][0]):
                sample, chosen = self._uncertainty.choose(model, sample)
        with self._autocast(sample):
            loss, sample_size, logging_output = criterion(model, {**sample, "update": update_num})
        self.update_losses.add(update_num, logging_output)
        logging_output.update(chosen, drawn=drawn(sample, len(self.names)))
        self._updates = update_num + 1
        if ignore_grad:
            loss = loss * 0
        optimizer.backward(loss)
        return loss, sample_size, logging_output

    def valid_step(self, sample: Any, model: Any, criterion: Any) -> Any:
        """Forward of one pack in evaluation mode."""
        model.eval()
        with torch.no_grad(), self._autocast(sample):
            found = criterion(model, sample)
        if self._validation is not None:
            self._validation.step()
        return found

    def _autocast(self, sample: Any) -> Any:
        if str(self.cfg.autocast) == "none":
            return contextlib.nullcontext()
        return torch.autocast(sample["net_input"]["tokens"].device.type, torch.bfloat16)

    def check_run(self, cfg: Any) -> None:
        """Refuses what does not fit the data, and a second run into one folder, before training.

        Args:
            cfg: fairseq's whole configuration.

        Raises:
            InputError: what does not fit, or the process that is at work there.
        """
        if not cfg.checkpoint.no_save and distributed_utils.is_master(cfg.distributed_training):
            folder = Path(cfg.checkpoint.save_dir)
            folder.mkdir(parents=True, exist_ok=True)
            lock_until_exit(folder / ".lock", folder, "another run")
        if self.best_of_corpora is not None:
            check_keeping(cfg)
        if not cfg.dataset.disable_validation:
            first = cfg.dataset.valid_subset.split(",")[0]
            validated = [examples.name for examples in self.datasets[first].corpora]
            check_choosing(cfg.checkpoint, self.metrics, validated)

    def begin_valid_epoch(self, epoch: int, model: Any) -> None:
        """Forgets the sums of earlier validations, which fairseq would keep in every checkpoint."""
        metrics.reset_meters("valid")
        self._scored = False

    def post_validate(self, model: Any, stats: dict[str, Any], aggregator: Any) -> None:
        """Takes note of each corpus's score, on the first of the validation splits as fairseq does for its best."""
        if not self._scored and (self.best_of_corpora is not None or self._patience is not None):
            update, scores = stats["num_updates"], corpus_scores(aggregator, self.metrics)
            higher = {metric.corpus: metric.metric.higher_is_better for metric in self.metrics}
            if self.best_of_corpora is not None:
                self.best_of_corpora.validated(update, scores, higher)
            if self._patience is not None and self._plan is not None:
                peaked = self._patience.validated(self._plan.epoch, update, scores, higher)
                for line in peak_lines(peaked, self._patience, self.metrics):
                    logger.info(line)
        self._scored = True

    def reduce_metrics(self, logging_outputs: list[dict[str, Any]], criterion: Any) -> None:
        """fairseq's own numbers, then those of each corpus."""
        super().reduce_metrics(logging_outputs, criterion)
        if logging_outputs:
            log_corpora(logging_outputs, self.metrics)
            if "drawn" in logging_outputs[0]:
                self._log_shares(logging_outputs)
            if "trained_on" in logging_outputs[0]:
                assert self._used is not None
                log_data_used(logging_outputs, self._used)

    def _log_shares(self, logging_outputs: list[dict[str, Any]]) -> None:
        """The shares of an update, and at the end of an epoch or of the run a table."""
        assert self._plan is not None
        assert self._shares is not None
        log_shares(logging_outputs, self._plan.probabilities(len(self.names)), self._shares)
        if self._plan.end_of_epoch() or self._updates == self.cfg.max_update:
            logger.info(f"epoch {self._plan.epoch}, trained on after {self._updates} updates:")
            for line in share_lines(self._shares.epoch()):
                logger.info(line)

    def max_positions(self) -> int | None:
        """Nothing is too long, since sequences are truncated when they are read."""
        return None

    @property
    def source_dictionary(self) -> Dictionary:
        """The vocabulary as fairseq's dictionary."""
        assert self.bundle is not None
        dictionary = Dictionary()
        for symbol in self.bundle.text_encoder.vocabulary.symbols[dictionary.nspecial :]:
            dictionary.add_symbol(symbol)
        return dictionary

    @property
    def target_dictionary(self) -> None:
        """There is no target side."""
        return None
