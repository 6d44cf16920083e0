"""Counts the tokens of a split, and how many are cut: what ``check`` and ``prepare`` show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example import Example, Fault
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.encoded_row import EncodedRow, measure_rows
from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.template import Template
from skill_plugin.text.vocabulary import Vocabulary

BATCH = 1000  # rows that are counted together


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """The tokens of a split; shares are between 0 and 1.

    Attributes:
        lengths: the tokens of each sequence with special tokens, before anything is cut or divided [S].
        max_length: the most tokens of a sequence, special tokens included.
        truncated: the share of sequences that lose tokens; with windows, of rows whose text before the long one does.
        windowed: the share of rows that are read through several windows.
        sequences: how many sequences training reads; each window is one.
        pieces: the number of pieces of all texts, without special tokens.
        unknown: the number of pieces that the vocabulary lacks.
        long_answers, divided_answers: the numbers of answers that no prediction can give; see ``AnswerReach``.
        notices: the notices of such answers.
    """

    lengths: npt.NDArray[np.int64]
    max_length: int
    truncated: float
    windowed: float
    sequences: int
    pieces: int
    unknown: int
    long_answers: int = 0
    divided_answers: int = 0
    notices: tuple[Fault, ...] = ()

    @property
    def unknown_pieces(self) -> float:
        """The share of the pieces that the vocabulary lacks."""
        return self.unknown / max(self.pieces, 1)


def count_tokens(
    corpus: Corpus, examples: Sequence[Example], rows: Iterable[EncodedRow], template: Template, max_length: int
) -> TokenCounts:
    """Counts the tokens of a split.

    Args:
        corpus: the corpus.
        examples: the examples of the split.
        rows: the same examples as ids, in the same order.
        template: the special tokens of a sequence.
        max_length: the most tokens of a sequence, special tokens included.

    Raises:
        InputError: ``max_length`` leaves no room for texts.
    """
    kind, rows = kind_named(corpus.kind), iter(rows)
    rule = kind.sequence_rule(corpus, template, max_length)
    parts: list[RowSizes] = []
    reach, pieces, unknown = kind.answer_reach(rule), 0, 0
    for start in range(0, len(examples), BATCH):
        batch = list(islice(rows, BATCH))
        parts.append(measure_rows(batch))
        ids = np.concatenate([ids for row in batch for ids in (*row.texts, *row.members)] or [np.zeros(0, np.int32)])
        pieces += len(ids)
        unknown += int((ids == Vocabulary.unk).sum())
        if reach is not None:
            reach.count(examples[start : start + BATCH], batch, parts[-1])
    sizes = RowSizes.concatenate(parts)
    return TokenCounts(
        lengths=rule.uncut(sizes).tokens,
        max_length=max_length,
        truncated=rule.truncated(sizes),
        windowed=rule.divided(sizes),
        sequences=len(rule.lengths(sizes).tokens),
        pieces=pieces,
        unknown=unknown,
        long_answers=reach.long if reach is not None else 0,
        divided_answers=reach.divided if reach is not None else 0,
        notices=tuple(reach.notices()) if reach is not None else (),
    )


def check_max_length(corpus: Corpus, template: Template, max_length: int) -> list[Fault]:
    """Checks that a sequence has room for texts besides special tokens; the fault if it has not."""
    try:
        kind_named(corpus.kind).sequence_rule(corpus, template, max_length)
    except InputError as error:
        return [Fault(str(error.file), error.line, error.message)]
    return []
