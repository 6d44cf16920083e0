"""One corpus as it is written in the corpora file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.spec.corpus import MixPart
from skill_plugin.spec.section import CorpusSection, find_line
from skill_plugin.spec.yaml_lines import LinedDict


@dataclass(frozen=True)
class WrittenCorpus:
    """One corpus as written.

    Attributes:
        name: its name.
        section: its checked keys.
        raw: the YAML of its section, which knows line numbers.
        line: the line of its name.
        file: the corpora file.
        part: its part of a mix, if it is of one.
    """

    name: str
    section: CorpusSection
    raw: LinedDict
    line: int
    file: Path
    part: MixPart | None = None

    def line_of(self, *location: str | int) -> int:
        """The line of a key or item; that of the corpus if the key is not written in its section."""
        return find_line(self.raw, location) if location[0] in self.raw else self.line

    def fault(self, message: str, *location: str | int) -> InputError:
        """Makes an error about the corpus, with the line of a key or item."""
        line = self.line_of(*location) if location else self.line
        return InputError(f"corpus {self.name!r} {message}", self.file, line)
