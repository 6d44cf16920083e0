"""One corpus as it stands in the corpora file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.spec.corpus import MixPart
from skill_plugin.spec.section import CorpusSection, find_line
from skill_plugin.spec.yaml_lines import LinedDict


@dataclass(frozen=True)
class WrittenCorpus:
    """One corpus of the file: its section, the YAML below it for line numbers, and its part if it is of a mix."""

    name: str
    section: CorpusSection
    raw: LinedDict
    line: int
    file: Path
    part: MixPart | None = None

    def line_of(self, *location: str | int) -> int:
        """The line of a key or item, the corpus's own where the key was not written here."""
        return find_line(self.raw, location) if location[0] in self.raw else self.line

    def fault(self, message: str, *location: str | int) -> InputError:
        """What is wrong with the corpus, at a key or item of it."""
        line = self.line_of(*location) if location else self.line
        return InputError(f"corpus {self.name!r} {message}", self.file, line)
