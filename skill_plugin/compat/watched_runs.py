"""A task can show and keep what its run logs.

Fault: fairseq 0.12.3 (``fairseq_cli.train``) chooses among progress bars of its own, each line of which holds every
number that is logged (1,500 characters for 14 corpora), and hands the same names to TensorBoard and W&B, which then
cannot group them. A task is neither asked for a bar nor told of a run's beginning and end, nor of when its model is
validated and saved. ``--log-file`` gets each line once more in every epoch.

A task that wants to has ``watch(cfg, trainer)``, which gives an object with ``begin(epoch)``,
``bar(make, iterator, options)``, ``during(part)`` and ``end(reason, message)`` (``tasks.run_watch``).

No longer needed: when a task is asked for the progress bar, and told of all of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from contextvars import ContextVar
from typing import Any

from fairseq import checkpoint_utils
from fairseq.logging import progress_bar as bars
from fairseq.trainer import Trainer

from skill_plugin.compat.one_line_errors import one_line
from skill_plugin.compat.patching import wrap, wrap_in_programs

_watch: ContextVar[Any] = ContextVar("watch", default=None)


def train(original: Callable[..., Any], cfg: Any, trainer: Any, task: Any, epoch_itr: Any) -> Any:
    """An epoch of training."""
    if not hasattr(task, "watch"):
        return original(cfg, trainer, task, epoch_itr)
    if not hasattr(trainer, "_skill_plugin_watch"):
        trainer._skill_plugin_watch = task.watch(cfg, trainer)
        trainer._skill_plugin_watch.begin(epoch_itr.next_epoch_idx)
    watch = trainer._skill_plugin_watch
    token = _watch.set(watch)
    try:
        losses, stops = original(cfg, trainer, task, epoch_itr)
    except KeyboardInterrupt:
        watch.end("interrupted")
        raise
    except Exception as error:
        watch.end("error", one_line(error) or f"{type(error).__name__}: {error}")
        raise
    finally:
        _watch.reset(token)
    if stops:
        watch.end(_why(cfg, trainer, task))
    return losses, stops


def _why(cfg: Any, trainer: Any, task: Any) -> str:
    """The option that made an epoch the last one before its end."""
    if trainer.get_num_updates() >= (cfg.optimization.max_update or math.inf):
        return "max_update"
    if 0 < cfg.optimization.stop_time_hours < trainer.cumulative_training_time() / 3600:
        return "stop_time_hours"
    return "corpus_patience" if getattr(task, "finished", False) else "patience"


def lr_step(original: Callable[..., Any], self: Any, epoch: int, *args: Any, **kwargs: Any) -> Any:
    """What comes between two epochs, unless the run ends there."""
    rate = original(self, epoch, *args, **kwargs)
    watch = getattr(self, "_skill_plugin_watch", None)
    if watch is not None and epoch >= (self.cfg.optimization.max_epoch or math.inf):
        watch.end("max_epoch")
    elif watch is not None and rate <= self.cfg.optimization.stop_min_lr:
        watch.end("stop_min_lr")
    return rate


def validate(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A validation of all its splits."""
    with _during("validation"):
        return original(*args, **kwargs)


def save_checkpoint(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """All that is written at one time, its copies too, and what is deleted then."""
    with _during("checkpoints"):
        return original(*args, **kwargs)


def _during(part: str) -> Any:
    watch = _watch.get()
    return nullcontext() if watch is None else watch.during(part)


def progress_bar(original: Callable[..., Any], iterator: Any, *args: Any, **options: Any) -> Any:
    """fairseq's, or that of the run that is watched; fairseq's training gives all options by name."""
    watch = _watch.get()
    return original(iterator, *args, **options) if watch is None else watch.bar(original, iterator, options)


def install() -> None:
    """Patches fairseq's program where it is loaded, and what it takes from fairseq."""
    wrap_in_programs(train)
    wrap_in_programs(validate)
    wrap(checkpoint_utils, "save_checkpoint", save_checkpoint)
    wrap(Trainer, "lr_step", lr_step)
    wrap(bars, "progress_bar", progress_bar)
