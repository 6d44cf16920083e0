"""A task can end its run: where ``task.finished`` is true after a validation, training stops as with ``--patience``.

Fault: fairseq 0.12.3 (``fairseq_cli.train.validate_and_save``) ends a run by the number of updates, time, learning rate
and ``--patience`` alone; a task is not asked.

No longer needed: when a task's wish is asked for there.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

# fairseq's program under the names that it can have: imported, run with python -m, and in a process that this spawned
PROGRAMS = ("fairseq_cli.train", "__main__", "__mp_main__")
_MARK = "_asks_the_task"
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


def _replace(names: dict[str, Any], around: Callable[..., Any]) -> None:
    original = names[around.__name__]
    if hasattr(original, _MARK):
        return

    @functools.wraps(original)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    setattr(replacement, _MARK, True)
    names[around.__name__] = replacement


def install() -> None:
    """Patches fairseq's program where it is loaded; it is not imported, since that sets up logging."""
    for program in PROGRAMS:
        function = getattr(sys.modules.get(program), "validate_and_save", None)
        if getattr(function, "__globals__", {}).keys() >= {"validate_and_save", "should_stop_early"}:
            # what the program's functions see: in a spawned process, a module's attributes are copies of these
            names = function.__globals__  # type: ignore[union-attr]
            _replace(names, validate_and_save)
            _replace(names, should_stop_early)
