"""Counts the answers that no prediction can give, for kinds whose answers are a part of a sequence."""

from __future__ import annotations

from abc import ABC, abstractmethod

from skill_plugin.readers.example import Fault
from skill_plugin.readers.example_rows import ExampleBlock
from skill_plugin.store.encoded_block import EncodedBlock
from skill_plugin.text.sequences.row_sizes import RowSizes


class AnswerReach(ABC):
    """Counts the answers of a split that no prediction can give.

    Attributes:
        long: the number of answers that are longer than the longest prediction.
        divided: the number of other answers that no sequence holds as a whole.
    """

    def __init__(self) -> None:
        self.long = self.divided = 0

    @abstractmethod
    def count(self, examples: ExampleBlock, encoded: EncodedBlock, sizes: RowSizes) -> None:
        """Counts the answers of some rows.

        Args:
            examples: the rows as examples.
            encoded: the same rows as ids.
            sizes: their sizes.
        """

    @abstractmethod
    def notices(self) -> list[Fault]:
        """A notice of each sort of answer, with the place of the first one."""
