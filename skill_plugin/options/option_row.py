"""What the documentation says of one option."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OptionRow:
    """One row of the table of options.

    Attributes:
        group: the group that the option belongs to, such as ``experts``.
        flag: the option on the command line, such as ``--experts-per-token``.
        type: the name of the value's type in Python.
        allowed: the numbers that it may be; empty if any.
        choices: the names that it may be; empty if it takes other values.
        default: the default in words; empty if there is none.
        help: what it does.
    """

    group: str
    flag: str
    type: str
    allowed: str
    choices: tuple[str, ...]
    default: str
    help: str
