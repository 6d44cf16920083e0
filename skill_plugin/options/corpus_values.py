"""Values for corpora as they are written in an option of the command line: ``rte=2,mnli=0.5``."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from skill_plugin.errors import InputError, nearest

_Value = TypeVar("_Value")


def parse_values(
    text: str, corpora: Collection[str], option: str, which: str, read: Callable[[str], _Value | None], form: str
) -> dict[str, _Value]:
    """Parses a value for each of some corpora.

    Args:
        text: the value of the option; may be empty.
        corpora: the corpora that may have a value.
        option: the option's name, for messages.
        which: what is true of these corpora, for messages, such as ``has training data``.
        read: gives the value for what is written; None where it is none.
        form: what is expected, for messages.

    Raises:
        InputError: the text has another form, names another corpus or one twice.
    """
    values: dict[str, _Value] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        corpus, equals, written = (piece.strip() for piece in part.partition("="))
        value = read(written) if equals else None
        if value is None:
            raise InputError(f"{option} {part}: expected {form}")
        if corpus not in corpora:
            raise InputError(f"{option}: {corpus!r} is no corpus that {which}{nearest(corpus, corpora)}")
        if corpus in values:
            raise InputError(f"{option}: {corpus!r} is named twice")
        values[corpus] = value
    return values
