"""Which sequences a row becomes: what every rule says.

Axes: n rows, S sequences of all rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.sequences.row_sizes import Counts, RowSizes
from skill_plugin.text.template import Template

UNLIMITED = 1 << 60


class SequenceLengths(NamedTuple):
    """How long the sequences of some rows are.

    Attributes:
        tokens: of every sequence, special tokens included [S]; those of a row side by side, rows in their order.
        counts: sequences of each row [n], which add up to S.
    """

    tokens: Counts
    counts: Counts


class SequenceRule(ABC):
    """Which sequences the rows of a corpus become, told from the sizes of their texts.

    Plans, ``check``, ``prepare`` and the sequences themselves all follow it.

    Args:
        corpus: how its texts are cut.
        template: where special tokens go; None counts the texts alone, as for characters.
        max_length: tokens of the longest sequence, special ones included.
        joined_question: see ``QueryAndCandidates``.

    Attributes:
        windowed: whether a long text is read through several windows, in place of being cut.
        special: special tokens of a sequence.
        room: tokens of texts that a sequence has room for.

    Raises:
        InputError: the longest sequence is too short.
    """

    windowed: ClassVar[bool] = False

    def __init__(
        self,
        corpus: Corpus,
        template: Template | None = None,
        max_length: int = UNLIMITED,
        joined_question: bool = True,
    ) -> None:
        self.corpus, self.max_length, self.joined_question = corpus, max_length, joined_question
        self.special = 0 if template is None else template.special_tokens(self.texts)
        self.room = max_length - self.special
        if self.room < self.least_room:
            least = self.special + self.least_room
            message = f"corpus {corpus.name!r}: the longest sequence has {max_length} tokens; expected at least {least}"
            raise InputError(message, corpus.file, corpus.line)

    @property
    @abstractmethod
    def texts(self) -> int:
        """How many texts of a sequence the special tokens keep apart."""

    @property
    def least_room(self) -> int:
        """Tokens of texts that the longest sequence must have room for."""
        return 1

    @classmethod
    def sizes(cls, texts: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]) -> RowSizes:
        """The sizes of examples from those of each one's texts and candidates."""
        return RowSizes.of(texts, candidates)

    @abstractmethod
    def uncut(self, sizes: RowSizes) -> SequenceLengths:
        """The sequences if there were no longest one: of a text that is read through windows one."""

    def lengths(self, sizes: RowSizes) -> SequenceLengths:
        """The sequences that are read, whose texts have at most ``room`` tokens."""
        tokens, counts = self.uncut(sizes)
        return SequenceLengths(self.limited(tokens), counts)

    def limited(self, tokens: Counts) -> Counts:
        """Tokens that are left of sequences of so many, each of which is cut to ``max_length``."""
        return np.minimum(tokens, self.max_length)

    def truncated(self, sizes: RowSizes) -> float:
        """Share of the sequences that lose tokens; with windows, of the rows whose texts before the long one do."""
        tokens = self.uncut(sizes).tokens
        return share_true(tokens > self.max_length)

    def divided(self, sizes: RowSizes) -> float:
        """Share of the rows that are read through several windows."""
        return 0.0


def share_true(which: npt.NDArray[np.bool_]) -> float:
    """Of how many it is true; 0 of none."""
    return float(which.mean()) if which.size else 0.0
