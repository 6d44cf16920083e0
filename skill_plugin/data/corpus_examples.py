"""The examples of one split of one corpus, as sequences ready to pack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.kinds.items import CorpusReading, Items, Target, TextToText
from skill_plugin.kinds.registry import kind_named
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.corpus_store import check_vocabulary, open_corpus
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.store.train_part import take_part
from skill_plugin.text.sequences.sequence_rule import SequenceLengths, one_each
from skill_plugin.text_to_text.make_items import make_items


@dataclass(frozen=True, eq=False)
class CorpusExample:
    """What is read of one example.

    Attributes:
        sequences: one, or all windows or candidates of a row.
        target: what is to be learned of them.
        row: its number in the split.
        encoded, text: the row itself, where it is to be scored.
        asked: the sequences as a model is asked about them; of text to text, where to be learned they hold the right
            answer.
    """

    sequences: Sequence[EncodedSequence]
    target: Target
    row: int
    encoded: EncodedRow | None = None
    text: Example | None = None
    asked: Sequence[EncodedSequence] = ()


@dataclass(frozen=True, eq=False)
class CorpusExamples:
    """A binarised split, with what the corpora file says about how to read it.

    Attributes:
        name: name of the corpus.
        split: its binarised rows.
        items: how they become sequences.
        active: what the corpus activates.
        head: name of its head.
        training: whether long rows are divided into windows, each an example; else a row is one example, to be scored.
        seed: seed of what is drawn when an example is read (hidden tokens, pairs of sentences).

    Axes: S sequences of all rows, n examples.
    """

    name: str
    split: StoredSplit
    items: Items
    active: ActiveSet
    head: str
    training: bool
    seed: int = 1

    def __len__(self) -> int:
        return len(self.lengths) if self._divided else len(self.split)

    @property
    def rows(self) -> int:
        """How many examples the corpus has for a sampler (SkillNet-X, equation 7: the number of training examples).

        The windows of a question or a sentence are one. A text of raw text has no answer of its own, so that each of
        its windows is one.
        """
        return len(self.split) if kind_named(self.items.corpus.kind).answers else len(self)

    @property
    def left_out(self) -> str | None:
        """Why nothing of the split can be learned or scored; None where it can.

        Raises:
            InputError: it was prepared with another number of texts than the corpora file has.
        """
        if not self.split.answered:
            return "has no labels"
        if len(self.split):
            self.items.rule.check_texts(len(self.split.texts))
        return None if len(self) else self.items.nothing

    @property
    def _divided(self) -> bool:
        """Whether each sequence is an example."""
        return self.training and self.items.split_windows

    @cached_property
    def _sequence_lengths(self) -> SequenceLengths:
        return self.items.lengths(self.split, self.training)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Number of each row's first sequence, and S."""
        return np.concatenate([[0], np.cumsum(self._sequence_lengths.counts)]).astype(np.int64)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of every example, special tokens and those of targets included [n]."""
        tokens = self._sequence_lengths.tokens
        if self._divided or (self._sequence_lengths.counts == 1).all():
            return tokens
        total = np.concatenate([[0], np.cumsum(tokens)])
        return np.diff(total[self._starts]).astype(np.int64)

    @cached_property
    def sequence_counts(self) -> NDArray[np.int64]:
        """Sequences of every example [n]."""
        return one_each(len(self)) if self.one_each else self._sequence_lengths.counts

    @property
    def one_each(self) -> bool:
        """Whether every example is one sequence."""
        return self._divided or self.items.rule.single

    def example(self, index: int, epoch: int = 0) -> CorpusExample:
        """One example.

        Args:
            index: below ``len``.
            epoch: what is drawn at random is another in each.
        """
        row, window = self._place(index)
        encoded = self.split.row(row, epoch)
        sequences = self.items.sequences(encoded, window)
        masked = self.items.masked(sequences, np.random.default_rng([self.seed, epoch, index]))
        asked = sequences if masked is None else masked[0]
        if self.training:
            learned, target = masked or self.items.learned(encoded, sequences, window or 0)
            return CorpusExample(learned, target, row, asked=asked)
        target = self.items.target(encoded, sequences, window or 0) if masked is None else masked[1]
        text = self.split.example(row) if self.items.needs_example else None
        return CorpusExample(asked, target, row, encoded, text, asked)

    def sequences(self, index: int) -> Sequence[EncodedSequence]:
        """The sequences of an example as they are: nothing is hidden of them."""
        row, window = self._place(index)
        return self.items.sequences(self.split.row(row, 0), window)

    def _place(self, index: int) -> tuple[int, int | None]:
        """The row of an example, and which of its sequences it is; None for all."""
        if not self._divided:
            return index, None
        row = int(np.searchsorted(self._starts, index, side="right")) - 1
        return row, index - int(self._starts[row])


def corpus_reading(bundle: Bundle, name: str, greedy: bool = False) -> CorpusReading:
    """How the bundle's run reads a corpus.

    Args:
        bundle: bundle of the run.
        name: name of the corpus.
        greedy: see ``TextToText``.
    """
    length = bundle.length_of(name)
    return CorpusReading(
        bundle.corpus(name),
        bundle.labels[name],
        bundle.text_encoder,
        length,
        bundle.facts[name],
        bundle.joined_question,
        bundle.calibration(name),
        TextToText(bundle.prefixed, greedy) if bundle.is_text_to_text else None,
    )


def corpus_examples(
    bundle: Bundle,
    name: str,
    data_bin: str,
    split: str,
    training: bool = False,
    seed: int = 1,
    verify: bool = True,
    part: Callable[[int], int] | None = None,
    greedy: bool = False,
) -> CorpusExamples:
    """The examples of a split, read as the bundle's run reads them.

    Args:
        bundle: bundle of the run.
        name: name of the corpus.
        data_bin: the data folder.
        split: train, valid or test.
        training: whether they are to be trained on, see ``CorpusExamples``.
        seed: seed of what is drawn to be learned. What is scored is always the same, so that scores can be compared.
        verify: compare the checksums of the split's files.
        part: gives how many of the split's rows are kept, see ``take_part``; None for all.
        greedy: see ``TextToText``.

    Raises:
        InputError: a file of the data folder is at fault, or it was prepared with another vocabulary.
    """
    check_vocabulary(data_bin, bundle.text_encoder.vocabulary)
    corpus, seed = bundle.corpus(name), seed if training else 1
    reading = corpus_reading(bundle, name, greedy)
    items = make_items(reading)
    stored = open_corpus(data_bin, corpus, split, bundle.labels[name], verify)
    if part is not None:
        stored = take_part(stored, part(len(stored)), seed)
    return CorpusExamples(
        name=name,
        split=items.drawn(stored, seed),
        items=items,
        active=bundle.active_set(name),
        head=corpus.head,
        training=training,
        seed=seed,
    )
