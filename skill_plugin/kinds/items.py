"""What every kind must say of its rows: their sequences, the targets of the loss, and what an output means.

Axes: U units of a sequence, C outputs of the head.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.kinds.calibration import PLAIN, Calibration
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.kinds.registry import kind_named
from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.named_texts import NamedTexts
from skill_plugin.text.sequences.sequence_rule import SequenceLengths, SequenceRule
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder

Target = dict[str, NDArray[Any]]


class Told(NamedTuple):
    """An answer for a person.

    Attributes:
        answer, right: the answer and the right answer, in a few words.
        wrong: whether it is wrong; of a number, which is more or less so, always.
    """

    answer: str
    right: str
    wrong: bool = True


@dataclass(frozen=True)
class TextToText:
    """How a text-to-text model reads a corpus.

    Attributes:
        prefixed: whether sequences begin with the corpus's prefix.
        greedy: whether answers are written, rather than chosen among the texts of all of them.
    """

    prefixed: bool = False
    greedy: bool = False


@dataclass(frozen=True)
class CorpusReading:
    """How a run reads the rows of a corpus.

    Attributes:
        corpus: the corpus as in the corpora file.
        labels: its labels in the order of their ids.
        facts: see ``RowStorage.facts``.
        encoder: the text encoder: vocabulary, template and tokenizer.
        max_length: the most tokens of a sequence, special tokens included.
        joined_question: whether a query and its question are one text (ranking); in older checkpoints they are two.
        calibration: how outputs become answers.
        text_to_text: how a text-to-text model reads it; None for encoders with heads.
    """

    corpus: Corpus
    labels: tuple[str, ...]
    encoder: TextEncoder
    max_length: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    joined_question: bool = True
    calibration: Calibration = PLAIN
    text_to_text: TextToText | None = None

    @cached_property
    def template(self) -> Template:
        """How texts become one sequence."""
        if self.text_to_text is None:
            return self.encoder.template
        return NamedTexts.of(self.corpus, self.encoder, self.text_to_text.prefixed)


class Items(ABC):
    """The items of one corpus. An item becomes one or more sequences, whose outputs together give one answer.

    Args:
        reading: how the run reads the corpus.

    Attributes:
        split_windows: whether a row's sequences are windows of a long text. Training takes each window alone; an answer
            is made of all of them.
        needs_example: whether scoring needs the original texts.
        most_written: the most tokens that a text-to-text model writes for a sequence where it is asked for its answer;
            0 where the answer is chosen.
        unit_targets: names of the targets that ``reduce`` needs; they have one value for each unit.
        nothing: the message about a split that holds nothing to read.
        rule: says which sequences a row becomes.

    Raises:
        InputError: ``max_length`` leaves no room for texts.
    """

    rule: SequenceRule

    split_windows: bool = False
    needs_example: bool = False
    most_written: int = 0
    unit_targets: tuple[str, ...] = ()
    nothing: str = "has no rows"

    def __init__(self, reading: CorpusReading) -> None:
        self.reading = reading
        self.corpus = reading.corpus
        self.template = reading.template
        kind = kind_named(self.corpus.kind)
        self.family = kind.family(self.corpus, reading.facts)
        self.rule = kind.sequence_rule(self.corpus, self.template, reading.max_length, reading.joined_question)

    def encode(self, examples: Sequence[Example]) -> list[EncodedRow]:
        """Encodes examples that are not in the store, to predict for them.

        Raises:
            InputError: there is no tokenizer.
        """
        return kind_named(self.corpus.kind).storage.encode(self.corpus, examples, self.reading.encoder)

    def drawn(self, split: StoredSplit, seed: int) -> StoredSplit:
        """A split that draws its rows anew in every epoch, for kinds that do; for the others the split itself."""
        return split

    def lengths(self, split: StoredSplit, training: bool = False) -> SequenceLengths:
        """The lengths of all sequences of a split, from the sizes of its texts alone, with those of their targets.

        Args:
            split: its rows.
            training: whether they are to be learned; else to be answered.
        """
        return self.rule.lengths(split.sizes)

    @abstractmethod
    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        """The sequences of a row; with ``only``, the one with this number."""

    @abstractmethod
    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        """The targets with which ``Family.losses`` compares the outputs of some sequences of a row.

        Args:
            row: the row, with its right answer.
            sequences: consecutive sequences of the row.
            first: the number of the first of them.
        """

    def learned(
        self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0
    ) -> tuple[Sequence[EncodedSequence], Target]:
        """Sequences and targets as they are trained on; arguments as for ``target``."""
        return sequences, self.target(row, sequences, first)

    def right_answers(self, row: EncodedRow, count: int) -> NDArray[np.int64]:
        """The number of the right answer to each of ``count`` sequences of a row, of kinds with ``answer_texts``."""
        raise NotImplementedError(f"the answers of {self.corpus.kind} are not chosen from a list")

    def masked(
        self, sequences: Sequence[EncodedSequence], random: np.random.Generator
    ) -> tuple[list[EncodedSequence], Target] | None:
        """Sequences and targets that are made of the texts alone, for kinds without answers; None for others."""
        return None

    def reduce(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor] | None) -> Tensor:
        """Keeps of outputs [U, C] what ``score`` (with a target) or ``predict`` (without) needs, on their device."""
        assert isinstance(outputs, Tensor)
        return self.scaled(outputs)

    def unreadable(self, outputs: Tensor) -> int | None:
        """How many of the texts that a model wrote are no answer, of reduced outputs; None where it chooses."""
        return None

    def scaled(self, outputs: Tensor) -> Tensor:
        """Outputs of the head, divided by the corpus's temperature."""
        temperature = self.reading.calibration.temperature
        return outputs if temperature == 1.0 else outputs / temperature

    @abstractmethod
    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Prediction:
        """The answer for a row.

        Args:
            outputs: the reduced outputs of all units of the row's sequences, float32, on the CPU.
            row: the row, stored or just encoded.
            sequences: all its sequences.
            example: the original texts, for kinds whose answer is a piece of them.
        """

    @abstractmethod
    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[Any, Any]:
        """The answer and the right answer, in the form that the corpus's metric compares."""

    def tell(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Told:
        """The answer and the right answer for a person; arguments as for ``score``."""
        answer, right = self.score(outputs, row, sequences, example)
        return Told(str(answer), str(right), answer != right)


def join_targets(targets: Sequence[Target]) -> dict[str, Tensor]:
    """Joins the targets of several examples end to end, by name."""
    return {name: torch.from_numpy(np.concatenate([target[name] for target in targets])) for name in targets[0]}
