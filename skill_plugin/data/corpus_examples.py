"""The examples of one split of one corpus, as sequences ready to pack."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.store.corpus_store import CorpusSplit, open_corpus
from skill_plugin.text.template import Template


@dataclass(frozen=True)
class CorpusExamples:
    """A binarised split, with what the corpora file says about how to read it.

    Attributes:
        name: of the corpus.
        split: its binarised rows.
        active: what the corpus activates.
        head: name of its head.
        template: where the encoder wants special tokens.
        max_length: tokens of the longest sequence; longer ones are truncated.
        truncate: which text is cut first: ``longest`` or ``right``.
    """

    name: str
    split: CorpusSplit
    active: ActiveSet
    head: str
    template: Template
    max_length: int
    truncate: str

    def __len__(self) -> int:
        return len(self.split.inputs[0])

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of every example after truncation, special tokens included [n]."""
        total = sum(np.asarray(inputs.sizes, dtype=np.int64) - 1 for inputs in self.split.inputs)
        special = self.template.special_tokens(len(self.split.inputs))
        return np.minimum(total + special, self.max_length).astype(np.int64)

    def sequence(self, index: int) -> EncodedSequence:
        """The example's tokens, truncated."""
        texts = [np.asarray(inputs[index], dtype=np.int32) for inputs in self.split.inputs]
        assembled = self.template.assemble(texts, self.max_length, self.truncate)
        return EncodedSequence(assembled.tokens, assembled.token_types)

    def label(self, index: int) -> int:
        """The example's label as an index into the corpus's labels."""
        assert self.split.label_ids is not None
        return int(self.split.label_ids[index])


def corpus_examples(bundle: Bundle, name: str, data_bin: str, split: str) -> CorpusExamples:
    """The examples of a split, read as the bundle's run reads them.

    Raises:
        InputError: a file of the data folder is at fault.
    """
    corpus = bundle.corpus(name)
    return CorpusExamples(
        name=name,
        split=open_corpus(data_bin, corpus, split, bundle.labels[name]),
        active=bundle.active_set(name),
        head=corpus.head,
        template=bundle.text_encoder.template,
        max_length=bundle.length_of(name),
        truncate=corpus.truncate,
    )
