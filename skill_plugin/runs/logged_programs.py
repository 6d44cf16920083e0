"""Runs programs whose output goes to logs, several at a time, all of which end with whoever runs them."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from skill_plugin.errors import InputError, reason_of, shown
from skill_plugin.runs.error_line import error_line, last_line
from skill_plugin.runs.program_group import Program, end_groups, signal_name, start_group

_LONGEST = 500  # characters of a line of a log that is shown


class Stopped(Exception):  # noqa: N818  nothing is wrong
    """``stop`` was called."""


class LoggedPrograms:
    """Programs of one command; ``run`` may be called from several threads.

    Args:
        held: open locks, which a program holds too: whatever it protects stays locked while one of them is at work,
            also where it outlives this process.
    """

    def __init__(self, held: Sequence[int] = ()) -> None:
        self._held = tuple(held)
        self._running: set[Program] = set()
        self._guard, self._stopped = threading.Lock(), False

    def run(self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> None:
        """Runs a program to its end; the command and all that it says go to the end of the log.

        Args:
            command: its words.
            log: a file, whose folder is made.
            environment: variables that it has beside those of this process.

        Raises:
            InputError: it cannot be started, or ended otherwise than well; says why in one line, and names the log.
            Stopped: ``stop`` was called, before or meanwhile.
        """
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("ab") as output:
                output.write(f"$ {shlex.join(command)}\n".encode())
                output.flush()
                begin = output.tell()
                with self._guard:
                    if self._stopped:
                        raise Stopped
                    variables = {**os.environ, **(environment or {})}
                    process = start_group(
                        command, stdout=output, stderr=subprocess.STDOUT, pass_fds=self._held, env=variables
                    )
                    self._running.add(process)
            status = self._wait(process)
        except OSError as error:
            raise InputError(reason_of(error, "cannot be started"), log) from None
        if self._stopped:
            raise Stopped
        if status:
            raise InputError(f"{_why(status, log, begin)}; see {log}")

    def stop(self) -> None:
        """Ends what runs and all that it started, and begins nothing more."""
        with self._guard:
            self._stopped = True
            running = list(self._running)
        end_groups(running)

    def _wait(self, process: Program) -> int:
        try:
            return process.wait()
        except BaseException:  # Ctrl-C, where this is the main thread
            self.stop()
            raise
        finally:
            self._running.discard(process)


def _why(status: int, log: Path, begin: int) -> str:
    """Why a program ended with a status, of which it said something from a place of its log on."""
    find_line = error_line if status > 0 else last_line
    try:
        with log.open("rb") as file:
            file.seek(begin)
            said = shown(find_line(file.read().decode("utf-8", "replace")))
    except OSError as error:
        said = f"its log: {reason_of(error)}"
    said = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
    if status > 0:
        return said
    memory = ", as programs are where memory runs out" if status == -signal.SIGKILL else ""
    return f"killed by {signal_name(-status)}{memory}; its last line: {said}"
