"""A column of a sample: what its values look like."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from skill_plugin.readers.cell_values import looks_listed, parse_finite_number, parse_list, parse_whole_number
from skill_plugin.spec.columns import Column as Reference
from skill_plugin.spec.languages import is_mostly_unspaced

MOST_LABELS = 200  # kinds of values that a column of labels has at most
_LONGEST_LABEL = 60  # characters
_MOST_SPACES = 2.5  # in a label, in the mean: what has more is a text that comes again
_WORDS = re.compile(r"[a-z]+|[0-9]+")
_URL = re.compile(r"(https?://|www\.)\S+", re.IGNORECASE)


@dataclass(eq=False)
class Column:
    """A column, as ``columns`` of the corpora file names it, and its values in the rows of a sample.

    Attributes:
        reference: a name, or a number where there are no names.
        values: of each row; None where a row lacks it.
        classes: the names of the numbers that stand in it, where the file says so.
    """

    reference: Reference
    values: list[Any]
    classes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name in lower case; empty where it has a number only."""
        return self.reference.lower() if isinstance(self.reference, str) else ""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words and numbers of its name: ``goldLabel_1`` is gold, label, 1."""
        if not isinstance(self.reference, str):
            return ()
        return tuple(_WORDS.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.reference).lower()))

    @cached_property
    def filled(self) -> list[Any]:
        """The values that are not empty."""
        return [value for value in self.values if value is not None and value != "" and value != []]

    @property
    def share_filled(self) -> float:
        """Of its values, 0 to 1."""
        return len(self.filled) / len(self.values) if self.values else 0.0

    @cached_property
    def scalars(self) -> list[str]:
        """The values as text, where all are text, numbers or truth values; else none."""
        if not all(isinstance(value, str | int | float) for value in self.filled):
            return []
        return [str(value).strip() if not isinstance(value, bool) else str(value).lower() for value in self.filled]

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each value occurs."""
        return Counter(self.scalars)

    @cached_property
    def lists(self) -> list[list[Any]]:
        """The values as lists, where all are, or are written as lists in cells; else none."""
        found = []
        for value in self.filled:
            if looks_listed(value):
                value = parse_list(value)
            if not isinstance(value, list):
                return []
            found.append(value)
        return found

    @cached_property
    def mean_length(self) -> float:
        """Characters of a value."""
        return sum(map(len, self.scalars)) / len(self.scalars) if self.scalars else 0.0

    @cached_property
    def is_text(self) -> bool:
        """Whether it holds texts of several words, most of which differ."""
        if self.share_filled < 0.9 or not self.scalars or self.lists or self.is_number or self.is_web_address:
            return False
        joined = "".join(self.scalars[:200])
        spoken = is_mostly_unspaced(joined)
        if not spoken:
            several = sum(" " in value for value in self.scalars) >= 0.5 * len(self.scalars)
            letters = sum(character.isalpha() for character in joined) >= 0.5 * len(joined)
            if not several or not letters:
                return False
        varied = len(self.counts) > max(2, 0.02 * len(self.scalars))
        return varied and self.mean_length >= (3 if spoken else 8) and not self.is_label_like

    @cached_property
    def is_web_address(self) -> bool:
        """Whether nearly all values are addresses of web pages."""
        return bool(self.scalars) and sum(map(bool, map(_URL.fullmatch, self.scalars))) > 0.9 * len(self.scalars)

    @cached_property
    def decimal(self) -> str:
        """What stands before the decimal places of numbers: a comma where all values are numbers so, and not else."""
        commas = any("," in value for value in self.scalars) and not any("." in value for value in self.scalars)
        return "," if commas and all(parse_finite_number(value, ",") is not None for value in self.scalars) else "."

    @cached_property
    def is_number(self) -> bool:
        """Whether all values are finite numbers."""
        return bool(self.scalars) and len(self.numbers) == len(self.scalars)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        return self.is_number and all(parse_whole_number(value) is not None for value in self.scalars)

    @cached_property
    def numbers(self) -> list[float]:
        """The values that are finite numbers."""
        found = (parse_finite_number(value, self.decimal) for value in self.scalars)
        return [number for number in found if number is not None]

    @cached_property
    def is_label_like(self) -> bool:
        """Whether few short values come again and again."""
        if not self.scalars or self.lists or self.share_filled < 0.7:
            return False
        kinds, rows = len(self.counts), len(self.scalars)
        return (
            kinds <= min(MOST_LABELS, max(3, rows // 4))
            and max(map(len, self.counts)) <= _LONGEST_LABEL
            and kinds < rows
            and sum(value.count(" ") for value in self.scalars) <= _MOST_SPACES * rows
        )

    def is_called(self, *names: str) -> bool:
        """Whether its name is one of these, or begins or ends with one as a word of its own."""
        return any(name in (self.name, *self.words[:1], *self.words[-1:]) for name in names)
