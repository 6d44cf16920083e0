"""An ``InputError``, or a fault of the operating system, inside fairseq's programs is one line and exit status 1.

Fault: fairseq 0.12.3 has no notion of an input that is at fault. Whatever a task, model or dataset raises ends as a
traceback, with another one around it where the rank was spawned, and hydra 1.3 adds its own words. So do a full disk, a
folder that may not be written, a rank that was killed, and Ctrl-C. A log that cannot be written is a traceback a line.

No longer needed: when fairseq offers a way to stop a run with a message.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable
from typing import Any

from hydra.core.utils import JobReturn, JobStatus
from omegaconf.errors import OmegaConfBaseException
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException

from skill_plugin.compat.patching import wrap
from skill_plugin.errors import InputError, shown_lines
from skill_plugin.files.system_faults import fault_in_text, flush_or_discard, system_fault

MARK = f"{InputError.__module__}.{InputError.__qualname__}: "  # before the message at the end of a printed traceback


def one_line(error: BaseException) -> str | None:
    """What to show for an error; None if neither the input nor the system is at fault.

    An error of a spawned rank, or of a data loader's worker, arrives as the text of its traceback.
    """
    text = str(error)
    if isinstance(error, InputError | ProcessRaisedException) and MARK in text:
        return text[text.rindex(MARK) + len(MARK) :].strip()
    if isinstance(error, InputError):
        return text
    if isinstance(error, ProcessRaisedException):
        return fault_in_text(text)
    if isinstance(error, ProcessExitedException):
        how = f"was killed by {error.signal_name}" if error.signal_name else f"ended with status {error.exit_code}"
        return f"rank {error.error_index} {how}; the others were stopped"
    if isinstance(error, OmegaConfBaseException):  # a value in a configuration for fairseq-hydra-train
        return text.strip().split("\n")[0] + (f" ({error.full_key})" if error.full_key else "")
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return system_fault(error)


def _show(line: str) -> None:
    line = flush_or_discard() or line
    with contextlib.suppress(OSError):  # standard error may be as full
        sys.stderr.write(f"{shown_lines(line)}\n")


def _excepthook(previous: Callable[..., Any]) -> Callable[..., Any]:
    def hook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        line = one_line(error)
        if line is None:
            previous(kind, error, trace)
        else:
            _show(line)

    hook._is_skill_plugin = True  # type: ignore[attr-defined]
    return hook


def _hydra_result(previous: property) -> property:
    def result(job: JobReturn) -> Any:
        line = one_line(job._return_value) if job.status == JobStatus.FAILED else None
        if line is None:
            return previous.__get__(job)
        _show(line)
        sys.exit(1)

    result._is_skill_plugin = True  # type: ignore[attr-defined]
    return property(result, previous.fset)


def handle_error(original: Callable[..., None], self: logging.Handler, record: logging.LogRecord) -> None:
    """Raises where a line of the log cannot be written; logging itself would go on, and nobody would notice."""
    if isinstance(sys.exc_info()[1], OSError):
        raise
    original(self, record)


def install() -> None:
    """Sets ``sys.excepthook`` and the result of hydra's jobs; other errors are shown as before."""
    # When a rank stops, torch warns that it ends the others; the error that follows says which one and why.
    logging.getLogger("torch.multiprocessing.spawn").setLevel(logging.ERROR)
    wrap(logging.Handler, "handleError", handle_error)
    if not hasattr(sys.excepthook, "_is_skill_plugin"):
        sys.excepthook = _excepthook(sys.excepthook)
    result = vars(JobReturn)["return_value"]
    if not hasattr(result.fget, "_is_skill_plugin"):
        setattr(JobReturn, "return_value", _hydra_result(result))  # noqa: B010 (mypy takes a property for a value)
