"""The examples of one split of one corpus, as sequences ready to pack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.data.items.catalogue import make_items
from skill_plugin.data.items.items import Items, Reading, Target
from skill_plugin.data.items.next_sentence import sentence_pairs
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.corpus_store import open_corpus
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.stored_split import StoredSplit


@dataclass(frozen=True, eq=False)
class CorpusExample:
    """What travels together.

    Attributes:
        sequences: one, or all windows or candidates of a row.
        target: what is to be learned of them.
        row: its number in the split.
        encoded, text: the row itself, where it is to be scored.
    """

    sequences: Sequence[EncodedSequence]
    target: Target
    row: int
    encoded: EncodedRow | None = None
    text: Example | None = None


@dataclass(frozen=True, eq=False)
class CorpusExamples:
    """A binarised split, with what the corpora file says about how to read it.

    Attributes:
        name: of the corpus.
        split: its binarised rows.
        items: how they become sequences.
        active: what the corpus activates.
        head: name of its head.
        training: long rows are divided into windows, each an example; else all of a row is one example, to be scored.
        seed: of what is drawn when an example is read (hidden tokens).
    """

    name: str
    split: StoredSplit
    items: Items
    active: ActiveSet
    head: str
    training: bool
    seed: int = 1

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def answered(self) -> bool:
        """Whether the right answers are known."""
        return self.split.answered

    @cached_property
    def _sequence_lengths(self) -> list[NDArray[np.int64]] | NDArray[np.int64]:
        return self.items.lengths(self.split)

    @cached_property
    def _starts(self) -> NDArray[np.int64] | None:
        """Number of the first example of each row [n + 1], where windows are examples."""
        if not (self.training and self.items.split_windows) or isinstance(self._sequence_lengths, np.ndarray):
            return None
        counts = [len(lengths) for lengths in self._sequence_lengths]
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of every example, special tokens included [n]."""
        lengths = self._sequence_lengths
        if isinstance(lengths, np.ndarray):
            return lengths
        if self._starts is not None:
            return np.concatenate(lengths)
        return np.array([one.sum() for one in lengths], np.int64)

    @cached_property
    def sequence_counts(self) -> NDArray[np.int64]:
        """Sequences of every example [n]."""
        if isinstance(self._sequence_lengths, np.ndarray) or self._starts is not None:
            return np.ones(len(self.lengths), np.int64)
        return np.array([len(one) for one in self._sequence_lengths], np.int64)

    def example(self, index: int, epoch: int = 0) -> CorpusExample:
        """One example.

        Args:
            index: below ``len``.
            epoch: what is drawn at random is another in each.
        """
        row, window = index, None
        if self._starts is not None:
            row = int(np.searchsorted(self._starts, index, side="right")) - 1
            window = index - int(self._starts[row])
        encoded = self.split[row]
        sequences: Sequence[EncodedSequence] = self.items.sequences(encoded, window)
        random = np.random.default_rng([self.seed, epoch, index])
        masked = self.items.masked(sequences, random)
        sequences, target = masked or (sequences, self.items.target(encoded, sequences, window or 0))
        if self.training:
            return CorpusExample(sequences, target, row)
        text = self.split.example(row) if self.items.needs_example else None
        return CorpusExample(sequences, target, row, encoded, text)


def corpus_reading(bundle: Bundle, name: str) -> Reading:
    """How the bundle's run reads a corpus."""
    length = bundle.length_of(name)
    return Reading(bundle.corpus(name), bundle.labels[name], bundle.text_encoder, length, bundle.facts[name])


def corpus_examples(
    bundle: Bundle, name: str, data_bin: str, split: str, training: bool = False, seed: int = 1
) -> CorpusExamples:
    """The examples of a split, read as the bundle's run reads them.

    Raises:
        InputError: a file of the data folder is at fault.
    """
    corpus = bundle.corpus(name)
    stored = open_corpus(data_bin, corpus, split, bundle.labels[name])
    return CorpusExamples(
        name=name,
        split=sentence_pairs(stored, seed) if corpus.kind == "next_sentence" else stored,
        items=make_items(corpus_reading(bundle, name)),
        active=bundle.active_set(name),
        head=corpus.head,
        training=training,
        seed=seed,
    )
