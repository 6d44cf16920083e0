"""A task can end its run: where ``task.finished`` is true after a validation, training stops as with ``--patience``.

Fault: fairseq 0.12.3 (``fairseq_cli.train.validate_and_save``) ends a run by the number of updates, time, learning rate
and ``--patience`` alone; a task is not asked.

No longer needed: when a task's wish is asked for there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from skill_plugin.compat.patching import wrap_in_programs

_task: ContextVar[Any] = ContextVar("task", default=None)


def validate_and_save(original: Callable[..., Any], cfg: Any, trainer: Any, task: Any, *rest: Any, **more: Any) -> Any:
    """fairseq's, in which ``should_stop_early`` knows the task."""
    token = _task.set(task)
    try:
        return original(cfg, trainer, task, *rest, **more)
    finally:
        _task.reset(token)


def should_stop_early(original: Callable[..., bool], *args: Any, **kwargs: Any) -> bool:
    """Whether ``--patience`` says so, or the task."""
    return original(*args, **kwargs) or bool(getattr(_task.get(), "finished", False))


def install() -> None:
    """Patches fairseq's program where it is loaded."""
    wrap_in_programs(validate_and_save)
    wrap_in_programs(should_stop_early)
