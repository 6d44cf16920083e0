"""The first rows of the files of one corpus, of whatever format, for the kinds to look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from skill_plugin.guessing.column import Column


@dataclass
class Sample:
    """Rows by column.

    Attributes:
        format: of the corpora file.
        columns: in the order of the file.
        running: whether words stand one below the other, as in the format conll; each value is then a list.
        commented: whether comments give the texts of sentences.
        known: whether the format says what is what, as squad does.
    """

    format: str
    columns: list[Column]
    running: bool = False
    commented: bool = False
    known: bool = False

    @cached_property
    def rows(self) -> int:
        return max((len(column.values) for column in self.columns), default=0)

    def column(self, name: str | int) -> Column | None:
        """The column of a name."""
        return next((column for column in self.columns if column.reference == name), None)

    def called(self, *names: str) -> Column | None:
        """The first column with one of these names; those that stand first here are looked for first."""
        for name in names:
            for column in self.columns:
                if column.name == name or "_".join(column.words) == name:
                    return column
        return None
