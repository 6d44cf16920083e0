"""What every kind must say of its rows: which sequences they become, what is to be learned, what an output means.

Axes: U units of a sequence, C outputs of the head.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.kinds.prediction import Prediction
from skill_plugin.kinds.registry import kind_named
from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.sequences.sequence_rule import SequenceLengths, SequenceRule
from skill_plugin.text.text_encoder import TextEncoder

Target = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class CorpusReading:
    """How a run reads the rows of a corpus.

    Attributes:
        corpus: as the corpora file has it.
        labels: in the order of their ids.
        facts: of ``RowStorage.facts``.
        encoder: vocabulary, template and tokenizer.
        max_length: tokens of the longest sequence, special ones included.
        joined_question: whether a query and its question are one text (ranking); checkpoints of before keep them apart.
    """

    corpus: Corpus
    labels: tuple[str, ...]
    encoder: TextEncoder
    max_length: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    joined_question: bool = True


class Items(ABC):
    """The items of one corpus: each is one or more sequences, and what they say together is one answer.

    Args:
        reading: how the run reads the corpus.

    Attributes:
        split_windows: whether a row's sequences are windows of a long text: training takes each of them by itself, but
            an answer is made of all.
        needs_example: whether scoring needs the original texts.
        unit_targets: the targets, one value a unit, that ``reduce`` needs.
        nothing: what is said of a split of which there is nothing to read.
        rule: which sequences a row becomes.

    Raises:
        InputError: the longest sequence has no room for texts.
    """

    rule: SequenceRule

    split_windows: ClassVar[bool] = False
    needs_example: ClassVar[bool] = False
    unit_targets: ClassVar[tuple[str, ...]] = ()
    nothing: ClassVar[str] = "has no rows"

    def __init__(self, reading: CorpusReading) -> None:
        self.reading = reading
        self.corpus = reading.corpus
        self.template = reading.encoder.template
        kind = kind_named(self.corpus.kind)
        self.family = kind.family(self.corpus, reading.facts)
        self.rule = kind.sequence_rule(self.corpus, self.template, reading.max_length, reading.joined_question)

    def encode(self, examples: Sequence[Example]) -> list[EncodedRow]:
        """Examples from outside the store, for a prediction.

        Raises:
            InputError: there is no tokenizer.
        """
        return kind_named(self.corpus.kind).storage.encode(self.corpus, examples, self.reading.encoder)

    def drawn(self, split: StoredSplit, seed: int) -> StoredSplit:
        """The rows of a split for kinds that draw others from them in every epoch; those of the rest stay."""
        return split

    def lengths(self, split: StoredSplit) -> SequenceLengths:
        """Lengths of all sequences of a split, from its sizes alone."""
        return self.rule.lengths(split.sizes)

    @abstractmethod
    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        """The sequences of a row, or the one with this number alone."""

    @abstractmethod
    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        """What the loss compares the outputs of consecutive sequences of a row with (``Family.losses``).

        Args:
            row: its right answer included.
            sequences: some of its sequences, or all.
            first: the number of the first of them.
        """

    def masked(
        self, sequences: Sequence[EncodedSequence], random: np.random.Generator
    ) -> tuple[list[EncodedSequence], Target] | None:
        """Sequences and targets made of the texts alone, for kinds whose rows hold no answer."""
        return None

    def reduce(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor] | None) -> Tensor:
        """What ``predict`` (no target) and ``score`` need of outputs [U, C], on their device."""
        assert isinstance(outputs, Tensor)
        return outputs

    @abstractmethod
    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Prediction:
        """The answer for a row.

        Args:
            outputs: reduced, of all units of the row's sequences, float32 on the CPU.
            row: as stored or encoded.
            sequences: all of them.
            example: the original texts, for kinds that answer with a piece of them.
        """

    @abstractmethod
    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[Any, Any]:
        """Answer and right answer in the form that the corpus's metric compares."""


def make_items(reading: CorpusReading) -> Items:
    """The items of a corpus; see ``Kind.items``."""
    return kind_named(reading.corpus.kind).items(reading)


def join_targets(targets: Sequence[Target]) -> dict[str, Tensor]:
    """The targets of some examples end to end, by name."""
    return {name: torch.from_numpy(np.concatenate([target[name] for target in targets])) for name in targets[0]}
