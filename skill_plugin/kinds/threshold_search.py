"""What finds thresholds on held-out data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor

from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow


class ThresholdSearch(Protocol):
    """Is shown rows one by one."""

    def add(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> None:
        """Takes note of a row with its right answer; see ``Items.score``."""
        ...

    def best(self) -> tuple[float, ...]:
        """The thresholds with which the rows seen score best."""
        ...
