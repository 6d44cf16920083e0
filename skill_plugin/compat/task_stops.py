"""A task can end its run: where ``task.finished`` is true after a validation, training stops as with ``--patience``.

Fault: fairseq 0.12.3 (``fairseq_cli.train.validate_and_save``) ends a run by the number of updates, time, learning rate
and ``--patience`` alone; a task is not asked. What ``--patience`` counts (``should_stop_early``) is kept in the
function: a run that goes on after a stop begins to count anew, and goes on for longer than without the stop, and
another run of the same process goes on counting.

A task that has ``early_stopping`` counts itself (``tasks.early_stopping``).

No longer needed: when a task's wish is asked for there, and a checkpoint holds what ``--patience`` counts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from skill_plugin.compat.patching import wrap_in_programs
from skill_plugin.errors import counted

logger = logging.getLogger(__name__)
_task: ContextVar[Any] = ContextVar("task", default=None)


def validate_and_save(original: Callable[..., Any], cfg: Any, trainer: Any, task: Any, *rest: Any, **more: Any) -> Any:
    """fairseq's, in which ``should_stop_early`` knows the task."""
    token = _task.set(task)
    try:
        return original(cfg, trainer, task, *rest, **more)
    finally:
        _task.reset(token)


def should_stop_early(original: Callable[..., bool], cfg: Any, valid_loss: float | None) -> bool:
    """Whether ``--patience`` says so, or the task."""
    task = _task.get()
    if not hasattr(task, "early_stopping"):
        return original(cfg, valid_loss) or bool(getattr(task, "finished", False))
    if valid_loss is not None and cfg.checkpoint.patience > 0:
        task.early_stopping.validated(valid_loss, cfg.checkpoint.maximize_best_checkpoint_metric)
        if is_used_up(cfg, task):
            logger.info(f"early stop: no better score in the last {counted(task.early_stopping.since, 'validation')}")
    return is_used_up(cfg, task) or bool(getattr(task, "finished", False))


def is_used_up(cfg: Any, task: Any) -> bool:
    """Whether the task has counted as many validations without a better score as ``--patience`` allows."""
    counted = getattr(task, "early_stopping", None)
    return counted is not None and 0 < cfg.checkpoint.patience <= counted.since


def install() -> None:
    """Patches fairseq's program where it is loaded."""
    wrap_in_programs(validate_and_save)
    wrap_in_programs(should_stop_early)
