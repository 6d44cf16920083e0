"""The file in which a run keeps all that it logs; ``report.run_log`` says what is in it, and reads it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, reason_of
from skill_plugin.files.json_file import json_text


class RunLog:
    """Appends lines, each with one write, so that whoever reads meanwhile and a crash find whole ones.

    Args:
        path: the file; what another run left there stays, but for a last line that is not whole.

    Raises:
        InputError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
            os.ftruncate(self._descriptor, self._whole_lines())
        except OSError as error:
            raise InputError(reason_of(error, "cannot be written"), path) from None

    def _whole_lines(self) -> int:
        """Length of the file up to the end of its last line, in bytes."""
        end = os.fstat(self._descriptor).st_size
        while end:
            begin = max(0, end - 65536)
            newline = os.pread(self._descriptor, end - begin, begin).rfind(b"\n")
            if newline >= 0:
                return begin + newline + 1
            end = begin
        return 0

    def append(self, line: dict[str, Any]) -> None:
        """Adds a line.

        Raises:
            InputError: it cannot be written; the file is as before.
        """
        before = os.fstat(self._descriptor).st_size
        text = (json_text(line, indent=None) + "\n").encode()
        try:
            written = os.write(self._descriptor, text)
            if written < len(text):  # the disk is full now; the next write says so
                os.write(self._descriptor, text[written:])
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, before)
            raise InputError(reason_of(error, "cannot be written"), self._path) from None
