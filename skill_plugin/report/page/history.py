"""How a run went: what it logged over its updates."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_text
from skill_plugin.report.run_log import RUN_LOG, read_run_log

_LOGS = ("*.log", "*.txt")  # what a person may have called the output of `--log-format json`


@dataclass(frozen=True)
class History:
    """The lines of a run's log, see ``report.run_log``.

    Attributes:
        lines: of its log.
        file: where they stand.
    """

    lines: Sequence[Mapping[str, Any]]
    file: Path

    @classmethod
    def read(cls, folder: Path, corpora: Collection[str]) -> History | None:
        """The log of a run's folder: its own, or else what ``--log-format json`` wrote into a file there.

        Args:
            folder: where the run saves.
            corpora: names of its corpora.

        Raises:
            InputError: the log is damaged.
        """
        own = folder / RUN_LOG
        if own.is_file():
            return cls(read_run_log(own), own)
        for file in sorted(path for pattern in _LOGS for path in folder.glob(pattern)):
            if lines := read_fairseq_log(file, corpora):
                return cls(lines, file)
        return None

    @cached_property
    def commands(self) -> list[list[str]]:
        """The command lines of the run: one, and one more each time that it went on.

        Raises:
            InputError: what stands there is none.
        """
        found: list[list[str]] = []
        for line in self.lines:
            command = line.get("command") if line["event"] == "start" else None
            if command is not None and not (isinstance(command, list) and all(isinstance(one, str) for one in command)):
                raise InputError("damaged: the command of a start is no list of words", self.file)
            if command and command not in found:
                found.append(command)
        return found

    @cached_property
    def end(self) -> Mapping[str, Any] | None:
        """The last line, if the run has ended."""
        return self.lines[-1] if self.lines and self.lines[-1]["event"] == "end" else None

    def curve(self, event: str, name: str, subset: str | None = None) -> dict[float, float]:
        """A number over updates.

        Args:
            event: ``train``, ``epoch`` or ``valid``.
            name: of the number, as ``avg`` or ``nli-en/loss``.
            subset: of a validation; None for the first that there is.
        """
        found: dict[float, float] = {}
        for line in self._of(event, subset):
            value = line["values"].get(name)
            if isinstance(value, int | float):
                found[line["update"]] = float(value)
        return found

    @cached_property
    def logged_updates(self) -> list[int]:
        """The updates after which numbers of training were logged."""
        return sorted({line["update"] for line in self._of("train", None)})

    def _of(self, event: str, subset: str | None) -> list[Mapping[str, Any]]:
        lines = [line for line in self.lines if line["event"] == event and isinstance(line.get("values"), Mapping)]
        if event == "valid" and lines:
            wanted = lines[0].get("subset") if subset is None else subset
            lines = [line for line in lines if line.get("subset") == wanted]
        return lines


def read_fairseq_log(file: Path, corpora: Collection[str]) -> list[dict[str, Any]]:
    """The lines of ``--log-format json``, as ``report.run_log`` has them; none where the file has no such lines.

    Args:
        file: the output of a run.
        corpora: names of its corpora.
    """
    longest_first = sorted(corpora, key=len, reverse=True)
    found: list[dict[str, Any]] = []
    for text in read_text(file).splitlines():
        values = _object(text)
        prefix = next((one for one in ("valid_", "train_") if f"{one}num_updates" in values), "")
        if f"{prefix}num_updates" not in values:
            continue
        update = int(values[f"{prefix}num_updates"])
        found = [line for line in found if line["update"] <= update]  # a run that went on from an earlier checkpoint
        event = {"valid_": "valid", "train_": "epoch"}.get(prefix, "train")
        plain = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
        numbers = {_grouped(name, longest_first): value for name, value in plain.items()}
        line = {"event": event, "update": update, "epoch": int(values.get("epoch", 0)), "values": numbers}
        found.append({**line, "subset": "valid"} if event == "valid" else line)
    return found


def _object(text: str) -> dict[str, float]:
    """The numbers of the JSON object that a line ends with."""
    try:
        values = json.loads(text[text.index("{") :])
        return {name: float(value) for name, value in values.items() if value is not None}
    except (ValueError, TypeError, AttributeError):
        return {}


def _grouped(name: str, corpora: Sequence[str]) -> str:
    corpus = next((one for one in corpora if name.startswith(f"{one}_")), None)
    return name if corpus is None else f"{corpus}/{name.removeprefix(corpus)[1:]}"
