"""What a corpora file can say of the columns that hold one field of a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Column = str | int  # a column by name or number: from 0, or counted from the last one, which is -1


@dataclass(frozen=True)
class Joined:
    """Columns that are joined to one text; blank ones are left out.

    Attributes:
        columns: the columns in the order of the text.
        join: the string between them.
    """

    columns: tuple[Column, ...]
    join: str = " "


@dataclass(frozen=True)
class Flags:
    """Columns of 0 and 1, one for each label: label -> column."""

    columns: Mapping[str, Column]


Field = Column | tuple[Column, ...] | Joined | Flags  # a tuple has one column for each choice


def list_columns(field: Field) -> tuple[Column, ...]:
    """The columns of a field."""
    if isinstance(field, Joined):
        return field.columns
    if isinstance(field, Flags):
        return tuple(field.columns.values())
    return field if isinstance(field, tuple) else (field,)
