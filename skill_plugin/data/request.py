"""Sequences whose outputs are wanted together, cut into the packs in which a model reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.options.allowed_values import LARGEST
from skill_plugin.sampling.passes import cut_batches

SourceT = TypeVar("SourceT")


class RequestPart(NamedTuple):
    """What one pack holds of a request.

    Attributes:
        sequences: some of its sequences.
        units: the numbers of their units among all units of the request.
        target: the targets of these units.
    """

    sequences: Sequence[EncodedSequence]
    units: NDArray[np.int64]
    target: dict[str, Tensor] | None


@dataclass(frozen=True, eq=False)
class Request(Generic[SourceT]):
    """Sequences of one corpus.

    Attributes:
        source: what they were made of.
        sequences: at least one.
        target: the ``unit_targets`` of all of them, where the right answers are to be scored.

    Axes: U units of all sequences.
    """

    source: SourceT
    sequences: Sequence[EncodedSequence]
    target: Mapping[str, Tensor] | None = None

    def parts(self, batch_size: int | None, max_tokens: int) -> list[RequestPart]:
        """Cuts the request into packs of similar lengths, which leaves attention little padding.

        Args:
            batch_size: the most sequences of a pack; None for any number.
            max_tokens: the most tokens of a pack; a longer sequence is alone.
        """
        packs = cut_by_length([one.size for one in self.sequences], batch_size, max_tokens)
        return [self.part(members) for members in packs]

    def part(self, members: NDArray[np.int64]) -> RequestPart:
        """The sequences with these numbers."""
        units = np.concatenate([np.arange(self._starts[i], self._starts[i + 1]) for i in members])
        chosen = torch.from_numpy(units)
        target = None if self.target is None else {name: all_[chosen] for name, all_ in self.target.items()}
        return RequestPart([self.sequences[i] for i in members], units, target)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """The number of each sequence's first unit, and U."""
        return np.cumsum([0, *(len(one.units) for one in self.sequences)])


def cut_by_length(lengths: Sequence[int], batch_size: int | None, max_tokens: int) -> list[NDArray[np.int64]]:
    """The numbers of the sequences of each pack; see ``Request.parts``.

    Args:
        lengths: tokens of each sequence.
        batch_size, max_tokens: as for ``Request.parts``.
    """
    tokens = np.array(lengths, np.int64)
    order = np.argsort(tokens, kind="stable").astype(np.int64)
    return cut_batches(order, tokens, batch_size or LARGEST, max_tokens)


def in_order(parts: Sequence[RequestPart], outputs: Sequence[Tensor]) -> Tensor:
    """The outputs of a request's parts [units, …] as those of its units, in their order [U, …]."""
    together = torch.cat(list(outputs))
    order = torch.from_numpy(np.concatenate([part.units for part in parts]))
    return torch.empty_like(together).index_copy_(0, order, together)
