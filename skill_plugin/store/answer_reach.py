"""Which answers no prediction can be, for kinds that answer with what a sequence holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from skill_plugin.readers.example import Example, Fault
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.sequences.row_sizes import RowSizes


class AnswerReach(ABC):
    """Counts the answers of a split that no prediction can be.

    Attributes:
        long: answers that are longer than any that is predicted.
        divided: others that no sequence holds as a whole.
    """

    def __init__(self) -> None:
        self.long = self.divided = 0

    @abstractmethod
    def count(self, examples: Sequence[Example], rows: Sequence[EncodedRow], sizes: RowSizes) -> None:
        """Looks at some rows.

        Args:
            examples: themselves.
            rows: the same as ids.
            sizes: of these.
        """

    @abstractmethod
    def notices(self) -> list[Fault]:
        """What is to be told, each with the place of the first such answer."""
