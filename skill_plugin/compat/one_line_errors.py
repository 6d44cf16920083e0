"""An ``InputError`` inside fairseq's programs is one line on standard error and exit status 1.

Fault: fairseq 0.12.3 has no notion of an input that is at fault. Whatever a task, model or dataset raises ends as a
traceback, with another one around it where the rank was spawned, and hydra 1.3 adds its own words.

No longer needed: when fairseq offers a way to stop a run with a message.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

from hydra.core.utils import JobReturn, JobStatus
from torch.multiprocessing.spawn import ProcessRaisedException

from skill_plugin.errors import InputError

MARK = f"{InputError.__module__}.{InputError.__qualname__}: "  # before the message at the end of a printed traceback


def one_line(error: BaseException) -> str | None:
    """What to show for an error; None if it is not the input's.

    An ``InputError`` of a spawned rank, or of a data loader's worker, arrives as the text of its traceback.
    """
    if not isinstance(error, InputError | ProcessRaisedException):
        return None
    text = str(error)
    if MARK in text:
        return text[text.rindex(MARK) + len(MARK) :].strip()
    return text if isinstance(error, InputError) else None


def _excepthook(previous: Callable[..., Any]) -> Callable[..., Any]:
    def hook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        line = one_line(error)
        if line is None:
            previous(kind, error, trace)
        else:
            sys.stderr.write(f"{line}\n")

    hook._is_skill_plugin = True  # type: ignore[attr-defined]
    return hook


def _hydra_result(previous: property) -> property:
    def result(job: JobReturn) -> Any:
        line = one_line(job._return_value) if job.status == JobStatus.FAILED else None
        if line is None:
            return previous.__get__(job)
        sys.stderr.write(f"{line}\n")
        sys.exit(1)

    result._is_skill_plugin = True  # type: ignore[attr-defined]
    return property(result, previous.fset)


def install() -> None:
    """Sets ``sys.excepthook`` and the result of hydra's jobs; other errors are shown as before."""
    # When a rank stops, torch warns that it ends the others; the error that follows says which one and why.
    logging.getLogger("torch.multiprocessing.spawn").setLevel(logging.ERROR)
    if not hasattr(sys.excepthook, "_is_skill_plugin"):
        sys.excepthook = _excepthook(sys.excepthook)
    result = vars(JobReturn)["return_value"]
    if not hasattr(result.fget, "_is_skill_plugin"):
        setattr(JobReturn, "return_value", _hydra_result(result))  # noqa: B010 (mypy takes a property for a value)
