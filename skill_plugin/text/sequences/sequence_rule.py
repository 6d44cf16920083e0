"""Which sequences the rows of a corpus become: what every such rule must say.

Axes: n rows, S sequences of all rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError, counted
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.template import Template
from skill_plugin.text.windows import Counts

UNLIMITED = 1 << 60


class SequenceLengths(NamedTuple):
    """The lengths of the sequences of some rows.

    Attributes:
        tokens: the tokens of every sequence, special tokens included [S]; row after row.
        counts: the number of sequences of each row [n]; they add up to S.
    """

    tokens: Counts
    counts: Counts


class SequenceRule(ABC):
    """Says which sequences the rows of a corpus become, from the sizes of their texts.

    The plan, ``check``, ``prepare``, and the code that makes the sequences all use it.

    Args:
        corpus: the corpus; its keys say how texts are cut.
        template: the special tokens of a sequence; None if there are none, as when characters are counted.
        max_length: the most tokens of a sequence, special tokens included.
        joined_question: see ``QueryAndCandidates``.

    Attributes:
        windowed: whether a long text is read through several windows instead of being cut.
        single: whether every row becomes one sequence, whatever its size.
        special: the number of special tokens of a sequence.
        room: how many tokens of texts fit into a sequence.

    Raises:
        InputError: ``max_length`` is too small.
    """

    windowed: ClassVar[bool] = False
    single: ClassVar[bool] = False

    def __init__(
        self,
        corpus: Corpus,
        template: Template | None = None,
        max_length: int = UNLIMITED,
        joined_question: bool = True,
    ) -> None:
        self.corpus, self.template = corpus, template
        self.max_length, self.joined_question = max_length, joined_question
        self.special = 0 if template is None else template.special_tokens(self.texts)
        self.room = max_length - self.special
        if self.room < self.least_room:
            least = self.special + self.least_room
            tokens = counted(max_length, "token")
            message = f"corpus {corpus.name!r}: the longest sequence has {tokens}; expected at least {least}"
            raise InputError(message, corpus.file, corpus.line)

    @property
    @abstractmethod
    def texts(self) -> int:
        """How many texts a sequence has, which special tokens separate."""

    def check_texts(self, found: int) -> None:  # noqa: B027
        """Checks how many texts stored rows have, for rules that are told it by the corpora file.

        Raises:
            InputError: another number than the rule reads.
        """

    @property
    def least_room(self) -> int:
        """The least ``room`` that is allowed."""
        return 1

    @classmethod
    def sizes(cls, texts: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]) -> RowSizes:
        """The sizes of rows, from the sizes of each example's texts and candidates."""
        return RowSizes.of(texts, candidates)

    @abstractmethod
    def uncut(self, sizes: RowSizes) -> SequenceLengths:
        """The sequences if there were no ``max_length``: a text that is read through windows is then one sequence."""

    def lengths(self, sizes: RowSizes) -> SequenceLengths:
        """The sequences that are read; the texts of each have at most ``room`` tokens."""
        tokens, counts = self.uncut(sizes)
        return SequenceLengths(self.limited(tokens), counts)

    def limited(self, tokens: Counts) -> Counts:
        """The lengths of sequences after each is cut to ``max_length``; the same array where none is."""
        return np.minimum(tokens, self.max_length) if tokens.max(initial=0) > self.max_length else tokens

    def losing(self, sizes: RowSizes) -> npt.NDArray[np.bool_]:
        """Which sequences lose tokens [S]; with windows, which rows do, of whose texts before the long one [n]."""
        return self.uncut(sizes).tokens > self.max_length

    def in_windows(self, sizes: RowSizes) -> npt.NDArray[np.bool_]:
        """Which rows are read through several windows [n]."""
        return np.zeros(len(sizes), np.bool_)

    def truncated(self, sizes: RowSizes) -> float:
        """The share of ``losing``."""
        return share_true(self.losing(sizes))

    def divided(self, sizes: RowSizes) -> float:
        """The share of ``in_windows``."""
        return share_true(self.in_windows(sizes))


def one_each(rows: int) -> Counts:
    """A sequence for each of some rows, in a single number that is read as often as there are rows [n]."""
    return np.broadcast_to(np.int64(1), rows)


def share_true(which: npt.NDArray[np.bool_]) -> float:
    """The share of true values; 0 if there are no values."""
    return float(which.mean()) if which.size else 0.0
