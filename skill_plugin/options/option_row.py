"""What the documentation says of one option."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class OptionRow:
    """A row of the table of options.

    Attributes:
        group: what it belongs to, as ``experts``.
        flag: as on the command line, ``--experts-per-token``.
        type: of its value, as Python calls it.
        allowed: which numbers it may be, empty where any.
        choices: which names it may be, empty where it is not one of some.
        default: for a person; empty where nothing stands for it.
        by_architecture: what the default means for each architecture that the option is for, where they differ.
        help: what it does.
    """

    group: str
    flag: str
    type: str
    allowed: str
    choices: tuple[str, ...]
    default: str
    by_architecture: Mapping[str, str]
    help: str
