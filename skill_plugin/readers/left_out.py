"""Why a row is left out."""

from __future__ import annotations


class RejectedError(Exception):
    """A row is left out because something in it is wrong.

    Attributes:
        reason: the sort of fault, by which rows are counted; it does not quote the row.
        message: the message for a person.
        column: the meaning of the column at fault; it tells which file is at fault in the format lines.
        line: the line at fault, if it is not the row's first line.
        always_a_fault: whether it is a fault even with ``on_bad_row: skip``.
        quiet: whether the row is only counted, and never a fault.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        column: str | None = None,
        line: int | None = None,
        always_a_fault: bool = False,
        quiet: bool = False,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.column = column
        self.line = line
        self.always_a_fault = always_a_fault
        self.quiet = quiet


class DroppedError(Exception):
    """The corpora file asks to leave out this row; ``str(error)`` is the reason by which rows are counted."""
