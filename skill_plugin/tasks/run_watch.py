"""What is shown and kept of a run's numbers: short lines for a person, all of them for ``log.jsonl`` and trackers."""

from __future__ import annotations

import logging
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairseq import checkpoint_utils
from fairseq.dataclass.configs import CheckpointConfig
from fairseq.distributed import utils as distributed_utils
from fairseq.logging.progress_bar import BaseProgressBar
from fairseq.logging.progress_bar import logger as bar_logger
from omegaconf import OmegaConf
from torch import Tensor

from skill_plugin.report.run_log import RUN_LOG, read_run_log
from skill_plugin.tasks.display.display_bar import DisplayBar
from skill_plugin.tasks.display.run_numbers import CorpusNumbers, RunNumbers
from skill_plugin.tasks.display.terminal_display import TerminalDisplay, is_terminal
from skill_plugin.tasks.run_length import updates_of_run
from skill_plugin.tasks.run_log import RunLog
from skill_plugin.tasks.short_lines import ShortLines
from skill_plugin.tasks.stopwatch import Part, Stopwatch

logger = logging.getLogger(__name__)

# of fairseq's configuration; the others are of programs that do not train
_GROUPS = (
    "task", "model", "criterion", "optimizer", "lr_scheduler", "optimization", "dataset", "checkpoint",
    "distributed_training", "common", "ema",
)  # fmt: skip
_NO_TRACKERS = {"aim_repo": None, "tensorboard_logdir": None, "wandb_project": None, "azureml_logging": False}
_PROGRAMS = {"train.py": "fairseq-train", "hydra_train.py": "fairseq-hydra-train"}  # as started by python -m


def keeps_log(cfg: Any) -> bool:
    """Whether this process writes a run's ``log.jsonl``: that of the first rank.

    A run with ``--no-save`` leaves the folder alone that ``--save-dir`` has by default, where another run may be.
    """
    named = cfg.checkpoint.save_dir != CheckpointConfig().save_dir
    return distributed_utils.is_master(cfg.distributed_training) and (named or not cfg.checkpoint.no_save)


class RunWatch:
    """One run in this process, from its first update here to its last.

    Args:
        cfg: fairseq's whole configuration.
        trainer: fairseq's trainer.
        corpora: names of the run's corpora.
    """

    def __init__(self, cfg: Any, trainer: Any, corpora: Sequence[str]) -> None:
        self._cfg, self._trainer = cfg, trainer
        self._corpora = sorted(corpora, key=len, reverse=True)
        self._path = Path(cfg.checkpoint.save_dir) / RUN_LOG
        self._log = RunLog(self._path) if keeps_log(cfg) else None
        self._epoch, self._batches, self._before = 1, 0, 0
        self._to_file = False
        self._display: TerminalDisplay | None = None
        self._stopwatch = Stopwatch()

    def begin(self, epoch: int) -> None:
        """Training begins, or goes on, in an epoch counted from 1."""
        self._epoch = epoch
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.write("start", {"time": now, "command": _command(), "settings": _settings(self._cfg)})
        common = self._cfg.common
        automatic = common.log_format is None and not common.no_progress_bar
        if automatic and distributed_utils.is_master(self._cfg.distributed_training) and is_terminal():
            scored = {one.corpus: one.metric for one in self._trainer.task.metrics}
            lower = {name for name, metric in scored.items() if not metric.higher_is_better}
            corpora = {
                name: CorpusNumbers(scored[name].name if name in scored else "") for name in self._trainer.task.names
            }
            chosen = self.grouped(self._cfg.checkpoint.best_checkpoint_metric)
            self._began = time.monotonic(), self._trainer.get_num_updates()
            self._display = TerminalDisplay(RunNumbers(corpora, frozenset(lower), chosen), self._look)
            self._display.begin()

    def end(self, reason: str, message: str | None = None) -> None:
        """Training ends, for a reason that ``report.run_log`` names."""
        if self._display is not None:
            self._display.end()
            self._display = None  # what follows are messages
        spent, said = self._stopwatch.spent(), {} if message is None else {"message": message}
        self.write("end", {"reason": reason, **said, "best": self._best(), "spent": spent.to_line()})
        if distributed_utils.is_master(self._cfg.distributed_training):
            logger.info(f"time: {spent.shown()}")
            if advice := spent.advice(_settings(self._cfg)):
                logger.warning(advice)

    def during(self, part: Part) -> AbstractContextManager[None]:
        """A block in which a part of the run's time is spent."""
        return self._stopwatch.during(part)

    def _best(self) -> dict[str, Any] | None:
        metric = self._cfg.checkpoint.best_checkpoint_metric
        value = getattr(checkpoint_utils.save_checkpoint, "best", None)
        if self._log is None or value is None:
            return None
        key, first = self.grouped(metric), self._cfg.dataset.valid_subset.split(",")[0]
        lines = [line for line in read_run_log(self._path) if line.get("subset") == first]
        updates = [line["update"] for line in lines if line["values"].get(key) == value]
        return {"metric": key, "value": float(value), "update": updates[-1] if updates else None}

    def write(self, event: str, more: Mapping[str, Any]) -> None:
        """Adds a line to the run's log."""
        if self._log is not None:
            update, seconds = self._trainer.get_num_updates(), self._trainer._local_cumulative_training_time()
            self._log.append(
                {"event": event, "update": update, "epoch": self._epoch, "seconds": round(seconds, 2), **more}
            )

    def _look(self) -> None:
        """Brings what is shown up to date."""
        assert self._display is not None
        run, update = self._display.run, self._trainer.get_num_updates()
        run.update, run.epoch = update, self._epoch
        run.last = updates_of_run(self._cfg, update, self._epoch, update - self._before, self._batches)
        began, first = self._began
        if run.last is not None and update > first:
            run.seconds_left = (run.last - update) * (time.monotonic() - began) / (update - first)
        run.shared({name: one.share for name, one in self._trainer.task.training.shares.run().items()})

    def grouped(self, name: str) -> str:
        """The name of a number under its corpus: ``nli-en/loss`` for fairseq's ``nli-en_loss``.

        That of a corpus's best score so far, ``best_nli-en_f1``, becomes ``nli-en/best_f1``.
        """
        best = "best_" if name.startswith("best_") else ""
        rest = name.removeprefix(best)
        found = next((corpus for corpus in self._corpora if rest.startswith(f"{corpus}_")), None)
        return name if found is None else f"{found}/{best}{rest.removeprefix(found)[1:]}"

    def bar(self, make: Callable[..., Any], iterator: Any, options: dict[str, Any]) -> BaseProgressBar:
        """The progress bar of an epoch, or of a validation.

        Args:
            make: fairseq's function.
            iterator: what is iterated over.
            options: those that fairseq gives that function.
        """
        self._epoch = options["epoch"]
        log_file = options.pop("log_file", None)
        if log_file is not None and not self._to_file:
            bar_logger.addHandler(logging.FileHandler(log_file))
            self._to_file = True
        split = None if "prefix" not in options else options["prefix"].split("'")[1]  # as fairseq writes it
        if split is None:
            self._batches, self._before = len(iterator), self._trainer.get_num_updates() - iterator.n
        shown: BaseProgressBar
        if self._display is not None:
            shown = DisplayBar(iterator, self._display, split)
        elif _is_fairseqs(options):
            shown = make(iterator, **options | _NO_TRACKERS)
        else:
            shown = ShortLines(iterator, self._epoch, self._cfg)
        # trackers wrap a bar; theirs shows nothing and iterates over the one that does
        return WatchedBar(self, shown, make(shown, **options | {"log_format": "none"}))


class WatchedBar(BaseProgressBar):
    """Hands numbers on to what shows them, to trackers (TensorBoard, W&B and such), and to the run's log.

    Args:
        watch: the run.
        shown: shows numbers to a person.
        trackers: fairseq's, around ``shown``.
    """

    def __init__(self, watch: RunWatch, shown: BaseProgressBar, trackers: BaseProgressBar) -> None:
        super().__init__(shown)
        self._watch, self._shown, self._trackers = watch, shown, trackers

    def __iter__(self) -> Iterator[Any]:
        return iter(self._trackers)

    def update_config(self, config: Any) -> None:
        """What trackers keep of the run's options."""
        self._trackers.update_config(config)

    def log(self, stats: Mapping[str, Any], tag: str | None = None, step: int | None = None) -> None:
        """Numbers of the updates since the last line."""
        numbers = self._grouped(stats)
        self._watch.write("train", {"values": numbers})
        self._trackers.log(numbers, tag=tag, step=step)
        self._shown.log(numbers if isinstance(self._shown, ShortLines | DisplayBar) else stats, tag=tag, step=step)

    def print(self, stats: Mapping[str, Any], tag: str | None = None, step: int | None = None) -> None:
        """Numbers of an epoch, or of a validation."""
        numbers = self._grouped(stats)
        if tag == "train":
            self._watch.write("epoch", {"values": numbers})
        else:
            self._watch.write("valid", {"subset": tag, "values": numbers})
        self._trackers.print(numbers, tag=tag, step=step)
        self._shown.print(numbers if isinstance(self._shown, ShortLines | DisplayBar) else stats, tag=tag, step=step)

    def _grouped(self, stats: Mapping[str, Any]) -> dict[str, Any]:
        return {self._watch.grouped(name): _number(value) for name, value in stats.items() if value is not None}


def _number(value: Any) -> float:
    return value.item() if isinstance(value, Tensor) else value


def _is_fairseqs(options: Mapping[str, Any]) -> bool:
    """Whether fairseq's own bar was asked for, or none."""
    chosen = options["log_format"] or options["default_log_format"]
    return chosen in ("json", "none") or (chosen == "tqdm" and sys.stderr.isatty())


def _command() -> list[str]:
    program, *words = sys.argv
    return [_PROGRAMS.get(Path(program).name, Path(program).name), *words]


def _settings(cfg: Any) -> dict[str, Any]:
    """The options by name; what fairseq's groups choose (``--task``, ``--arch``, …) by the name of the group."""
    groups: Any = OmegaConf.to_container(cfg, resolve=True, enum_to_str=True)
    flat: dict[str, Any] = {}
    for group in _GROUPS:
        part = groups.get(group) or {}
        chosen = dict(vars(part) if isinstance(part, Namespace) else part)  # as fairseq's older optimizers have it
        if (name := chosen.pop("_name", None)) is not None:
            flat[group] = name
        flat = {**chosen, **flat}
    return dict(sorted(flat.items()))
