"""Faults of the operating system (a full disk, no permission, a name too long, no memory) as messages of one line."""

from __future__ import annotations

import contextlib
import os
import re
import sys

from skill_plugin.errors import InputError, reason_of

# How an OSError looks in the text of a traceback, which is all that another process hands on; and how Rust writes it.
_SYSTEM = (
    re.compile(r"^[\w.]+: \[Errno \d+\] (?P<reason>[^:\n]+)(?:: '(?P<file>[^'\n]*)')?", re.MULTILINE),
    re.compile(r'Os \{ code: \d+.*?message: "(?P<reason>[^"]+)"(?P<file>)'),
    re.compile(r"(?P<reason>[A-Z][\w ]+) \(os error \d+\)(?P<file>)"),
)
# torch's own messages for such faults: of its zip writer, allocators, data loader, and gloo's connections.
_DISK = "is the disk full?"
_TORCH = {
    r"unexpected pos \d+ vs|PytorchStreamWriter failed|file write failed": f"cannot be written to its end; {_DISK}",
    r"Parent directory .* does not exist": "no such file or directory",
    r"can't allocate memory|CUDA out of memory|^MemoryError": "out of memory",
    r"DataLoader worker \(pid[^)]*\) (?:is killed by signal|exited unexpectedly)": "a worker that read data was killed",
    r"[Cc]onnection (?:closed|reset) by peer": "another rank ended, and this one lost its connection to it",
}


def system_fault(error: BaseException) -> str | None:
    """One line for a fault of the operating system; None for any other error."""
    if isinstance(error, OSError) and error.strerror is not None:
        return _line(error.strerror, error.filename)
    return fault_in_text(f"{type(error).__name__}: {error}")


def fault_in_text(text: str) -> str | None:
    """As ``system_fault``, for an error of another process, of which only the text of its traceback is known."""
    for pattern in _SYSTEM:
        if found := list(pattern.finditer(text)):
            return _line(found[-1]["reason"], found[-1]["file"] or None)
    return next((reason for pattern, reason in _TORCH.items() if re.search(pattern, text, re.MULTILINE)), None)


def _line(reason: str, file: str | bytes | int | None) -> str:
    return str(InputError(reason.strip().lower(), os.fsdecode(file) if isinstance(file, str | bytes) else None))


def flush_or_discard() -> str | None:
    """Flushes standard output. If that fails its content is discarded, since Python would print a traceback at exit.

    Returns:
        The fault as one line, or None.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return f"standard output: {reason_of(error, 'cannot be written')}"
    return None


def open_closed_streams() -> list[str]:
    """Opens closed standard streams on the null device, so that no file that is opened later gets their numbers.

    Returns:
        The names of those that were closed, of ``standard input``, ``standard output`` and ``standard error``.
    """
    closed = []
    for number, name in enumerate(("standard input", "standard output", "standard error")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
            closed.append(name)
    if sys.stderr is None:  # print would take standard output instead
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    return closed
