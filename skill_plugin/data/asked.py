"""Inputs of one corpus on their way from a person's question to its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Self

import torch
from torch import Tensor

from skill_plugin.data.request import Request
from skill_plugin.kinds.items import Items
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow


@dataclass(frozen=True, eq=False)
class Asked:
    """Some inputs, encoded.

    Attributes:
        corpus: whose answers are wanted.
        items: how its inputs are read and answered.
        examples: the inputs, one or more.
        rows: as many, encoded.
        sequences: those of each input, one or more.
    """

    corpus: str
    items: Items
    examples: Sequence[Example]
    rows: Sequence[EncodedRow]
    sequences: Sequence[Sequence[EncodedSequence]]

    @classmethod
    def of(cls, corpus: str, items: Items, examples: Sequence[Example]) -> Self:
        """Encodes inputs."""
        rows = items.encode(examples)
        return cls(corpus, items, examples, rows, [items.sequences(row) for row in rows])

    @cached_property
    def request(self) -> Request[Asked]:
        """The sequences of all inputs."""
        return Request(self, list(chain.from_iterable(self.sequences)))

    @property
    def whole_sequences(self) -> Request[Asked]:
        """The same, each sequence read as a whole: its one unit is its first token."""
        return Request(self, [EncodedSequence(one.tokens, one.token_types) for one in self.request.sequences])

    @cached_property
    def tokens(self) -> int:
        """Tokens of all sequences."""
        return sum(len(one.tokens) for one in self.request.sequences)

    def by_input(self, outputs: Tensor) -> tuple[Tensor, ...]:
        """The outputs of each input, from those of all units [U, …]."""
        return tuple(outputs.split([sum(len(one.units) for one in row) for row in self.sequences]))

    def vectors(self, pooled: Tensor) -> Iterator[Tensor]:
        """One vector [2 D] of each input, from those of its sequences (``pooled_states``) [S, 2 D]."""
        for part, own in zip(pooled.split(list(map(len, self.sequences))), self.sequences, strict=True):
            lengths = torch.tensor([[float(len(one.tokens))] for one in own])
            means, firsts = part.chunk(2, 1)
            yield torch.cat([(means * lengths).sum(0) / lengths.sum(), firsts.mean(0)])

    def predictions(self, outputs: Tensor) -> Iterator[Prediction]:
        """The answer to each input, in order, from the reduced outputs of all units [U, …], float32 on the CPU."""
        parts = self.by_input(outputs)
        for part, row, own, example in zip(parts, self.rows, self.sequences, self.examples, strict=True):
            yield self.items.predict(part, row, own, example)
