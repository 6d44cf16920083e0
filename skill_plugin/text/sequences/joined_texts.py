"""Rows whose one to three texts are read as one sequence, which is truncated if it is too long."""

from __future__ import annotations

from collections.abc import Sequence

from skill_plugin.errors import InputError, counted
from skill_plugin.kinds.registry import kind_named
from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.sequences.sequence_rule import SequenceLengths, SequenceRule, one_each
from skill_plugin.text.sequences.truncation import truncate_lengths


class JoinedTexts(SequenceRule):
    """A row becomes one sequence of all its texts. If it is too long, ``truncate`` of the corpus says what is cut."""

    single = True

    @property
    def texts(self) -> int:
        return len(kind_named(self.corpus.kind).text_names(self.corpus))

    def check_texts(self, found: int) -> None:
        """Compares it with the text columns of the corpora file.

        Raises:
            InputError: the rows were prepared with another number of texts.
        """
        if found != self.texts:
            columns = counted(self.texts, "text column")
            message = f"corpus {self.corpus.name!r} has {columns}, but its rows have {counted(found, 'text')}"
            raise InputError(message, self.corpus.file, self.corpus.line)

    def uncut(self, sizes: RowSizes) -> SequenceLengths:
        """One sequence a row.

        Raises:
            InputError: as ``check_texts``.
        """
        if len(sizes):
            self.check_texts(len(sizes.texts))
        tokens = sizes.texts.sum(axis=0)
        tokens += self.special  # in place: fresh memory costs more than the sum
        return SequenceLengths(tokens, one_each(len(sizes)))

    def kept(self, texts: Sequence[int]) -> list[int]:
        """How many tokens each text of a row keeps."""
        return truncate_lengths(texts, self.room, self.corpus.truncate)
