"""Which training examples a run has trained on: a part of the data only, where a sampler chooses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.errors import InputError


@dataclass
class Announcements:
    """How ranks tell one another the examples that they train on: in logging outputs, which fairseq adds up over ranks.

    Each micro-batch of an update writes to a row of its own.

    Attributes:
        rank, ranks: number of this rank, and how many ranks there are.
        frequency: micro-batches of an update on each rank.
        width: the most examples that a micro-batch has.
    """

    rank: int
    ranks: int
    frequency: int
    width: int

    def __post_init__(self) -> None:
        self._written = 0

    def write(self, numbers: NDArray[np.int64]) -> Tensor:
        """What the next micro-batch announces: numbers of examples + 1, and 0 elsewhere, float64."""
        row = self.rank * self.frequency + self._written % self.frequency
        self._written += 1
        rows = torch.zeros(self.ranks * self.frequency, self.width, dtype=torch.float64)
        rows[row, : len(numbers)] = torch.from_numpy(numbers + 1)
        return rows


def read_announced(announced: Tensor) -> NDArray[np.int64]:
    """The numbers of examples in a sum of announcements of different rows."""
    numbers: NDArray[np.int64] = announced[announced > 0].long().cpu().numpy() - 1
    return numbers


class DataUsed:
    """The examples that were trained on since the run began, on all ranks.

    Args:
        examples: in the training splits of all corpora.
    """

    def __init__(self, examples: int) -> None:
        self._used = np.zeros(examples, bool)

    def add(self, numbers: NDArray[np.int64]) -> None:
        """Examples that were trained on, some perhaps again."""
        self._used[numbers] = True

    @property
    def share(self) -> float:
        """Share of the examples that were trained on at least once (CA-MTL, table 3.1: data used)."""
        return float(self._used.mean())

    def to_state(self) -> Tensor:
        """What a checkpoint keeps: a bit an example, uint8."""
        return torch.from_numpy(np.packbits(self._used))

    def load_state(self, state: Tensor) -> None:
        """Goes on from ``to_state``.

        Raises:
            InputError: the data has another number of examples.
        """
        bits = np.unpackbits(state.numpy()).astype(bool)
        if len(bits) != -(-len(self._used) // 8) * 8:
            raise InputError(
                "cannot resume: the training data has another number of examples; "
                "keep it, or start a new plan with --reset-dataloader"
            )
        self._used = bits[: len(self._used)].copy()
