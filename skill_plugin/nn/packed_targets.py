"""What the decoder of a text-to-text model reads: the target texts of a pack's sequences, end to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True, eq=False)
class PackedTargets:
    """The targets of S source sequences, T in all.

    Attributes:
        tokens: ids [M], int64: all targets end to end, each with its ``</s>``. The decoder reads them shifted by one.
        lengths: tokens of each target, T integers.
        counts: targets of each source sequence, S integers.
    """

    tokens: Tensor
    lengths: Sequence[int]
    counts: Sequence[int]

    @classmethod
    def of(cls, targets: Sequence[Sequence[NDArray[np.integer[Any]]]]) -> Self | None:
        """Those of each source sequence, end to end; None if there are none."""
        flat = list(chain.from_iterable(targets))
        if not flat:
            return None
        tokens = torch.from_numpy(np.concatenate(flat).astype(np.int64))
        return cls(tokens, list(map(len, flat)), list(map(len, targets)))

    def to(self, device: torch.device) -> PackedTargets:
        """The same on a device."""
        return PackedTargets(self.tokens.to(device), self.lengths, self.counts)

    def twice(self) -> PackedTargets:
        """Those of the same sequences, one copy after the other."""
        return PackedTargets(self.tokens.repeat(2), [*self.lengths, *self.lengths], [*self.counts, *self.counts])
