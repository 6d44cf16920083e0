"""Counts the tokens of a split, and how many are cut: what ``check`` and ``prepare`` show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example import Fault
from skill_plugin.readers.example_rows import ExampleBlock
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.encoded_block import EncodedBlock
from skill_plugin.text.named_texts import template_of
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary


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

    lengths: npt.NDArray[np.int32]
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


class TokenCounter:
    """Counts the tokens of a split, block by block.

    Args:
        corpus: the corpus.
        encoder: with a tokenizer; its template counts, and with text to text names and prefix.
        max_length: the most tokens of a sequence, special tokens included.

    Raises:
        InputError: ``max_length`` leaves no room for texts.
    """

    def __init__(self, corpus: Corpus, encoder: TextEncoder, max_length: int) -> None:
        kind = kind_named(corpus.kind)
        self._max_length = max_length
        self._rule = kind.sequence_rule(corpus, template_of(corpus, encoder), max_length)
        self._reach = kind.answer_reach(self._rule)
        self._lengths = [np.zeros(0, np.int32)]
        self._losing = _Share()
        self._divided = _Share()
        self._sequences = self._pieces = self._unknown = 0

    def add(self, examples: ExampleBlock, encoded: EncodedBlock) -> None:
        """Counts some examples, also given as ids."""
        rule, sizes = self._rule, encoded.sizes()
        self._lengths.append(rule.uncut(sizes).tokens.astype(np.int32))
        self._losing.add(rule.losing(sizes))
        self._divided.add(rule.in_windows(sizes))
        self._sequences += len(rule.lengths(sizes).tokens)
        for ids in encoded.inputs:
            self._pieces += len(ids.flat)
            self._unknown += int((ids.flat == Vocabulary.unk).sum())
        if self._reach is not None:
            self._reach.count(examples, encoded, sizes)

    def counts(self) -> TokenCounts:
        """What was counted."""
        reach = self._reach
        return TokenCounts(
            lengths=np.concatenate(self._lengths),
            max_length=self._max_length,
            truncated=self._losing.value,
            windowed=self._divided.value,
            sequences=self._sequences,
            pieces=self._pieces,
            unknown=self._unknown,
            long_answers=reach.long if reach is not None else 0,
            divided_answers=reach.divided if reach is not None else 0,
            notices=tuple(reach.notices()) if reach is not None else (),
        )


@dataclass
class _Share:
    true: int = 0
    all: int = 0

    def add(self, which: npt.NDArray[np.bool_]) -> None:
        self.true += int(which.sum())
        self.all += len(which)

    @property
    def value(self) -> float:
        return self.true / self.all if self.all else 0.0
