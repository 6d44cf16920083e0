"""The texts of rows that all have equally many, by column: they are read, stored and looked at in less time so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload


class TextColumns(Sequence[tuple[str, ...]]):
    """The texts of each row, of which a tuple is made when it is asked for.

    Args:
        columns: one or more, equally long; they are kept and not copied.
    """

    __slots__ = ("columns",)

    def __init__(self, columns: Sequence[list[str]]) -> None:
        self.columns = columns

    @classmethod
    def of(cls, rows: Sequence[tuple[str, ...]]) -> TextColumns | None:
        """The columns of rows; None if the rows have different numbers of texts, or none."""
        widths = set(map(len, rows))
        return (
            cls([list(column) for column in zip(*rows, strict=True)]) if len(widths) == 1 and 0 not in widths else None
        )

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return zip(*self.columns, strict=True)

    @overload
    def __getitem__(self, index: int) -> tuple[str, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> TextColumns: ...

    def __getitem__(self, index: int | slice) -> tuple[str, ...] | TextColumns:
        if isinstance(index, slice):
            return TextColumns([column[index] for column in self.columns])
        return tuple([column[index] for column in self.columns])

    def joined(self, other: TextColumns) -> TextColumns | None:
        """The rows of both, one after the other; None if the other's have another number of texts."""
        if len(self.columns) != len(other.columns):
            return None
        return TextColumns([mine + theirs for mine, theirs in zip(self.columns, other.columns, strict=True)])
