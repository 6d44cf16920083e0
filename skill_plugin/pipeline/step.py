"""A command on the way to a trained model, and what it reads and writes."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skill_plugin.store.checksums import file_checksum

_MODULES = {"skill-plugin": "skill_plugin", "fairseq-train": "fairseq_cli.train"}
_WIDTH = 110  # of a line of a command


@dataclass(frozen=True)
class Step:
    """A command.

    Attributes:
        name: what it does, in a word.
        command: its words.
        inputs: files, and folders of files, on which its output depends.
        outputs: the files without which it is not done; none if it only shows something.
    """

    name: str
    command: tuple[str, ...]
    inputs: tuple[Path, ...]
    outputs: tuple[Path, ...] = ()

    def checksums(self) -> dict[str, str | None]:
        """sha256 of its inputs by path; None of one that is not there."""
        files = [file for path in self.inputs for file in _files(path)]
        return {str(file): file_checksum(file) if file.is_file() else None for file in files}

    @property
    def is_written(self) -> bool:
        """Whether its output is there."""
        return all(path.exists() for path in self.outputs)

    def shown(self) -> str:
        """The command for a shell, on several lines where it is long."""
        lines = [""]
        for part in _parts(self.command):
            if lines[-1] and len(lines[-1]) + len(part) > _WIDTH:
                lines.append("   ")
            lines[-1] += f" {part}" if lines[-1] else part
        return " \\\n".join(lines)


def program(name: str) -> list[str]:
    """The words that start one of our programs in this environment: short where a shell would find the same one."""
    script = Path(sys.executable).with_name(name)
    if not script.is_file():
        return [sys.executable, "-m", _MODULES[name]]
    return [name] if (found := shutil.which(name)) and Path(found).samefile(script) else [str(script)]


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]


def _parts(command: Sequence[str]) -> list[str]:
    """Words that belong on one line: an option with its values."""
    parts: list[str] = []
    for word in map(shlex.quote, command):
        if parts and parts[-1].startswith("--") and not word.startswith("-"):
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    return parts
