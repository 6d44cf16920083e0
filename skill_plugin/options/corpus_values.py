"""Values for corpora as they are written in options of a command line: ``rte=2,mnli=0.5``, or an option for each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
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
    values = parse_each(filter(None, (part.strip() for part in text.split(","))), option, read, form)
    refuse_others(values, corpora, option, which)
    return values


def parse_each(parts: Iterable[str], option: str, read: Callable[[str], _Value | None], form: str) -> dict[str, _Value]:
    """Parses one ``CORPUS=VALUE`` after the other, of an option that is given once for each corpus.

    Args:
        parts: what is written.
        option, read, form: as for ``parse_values``.

    Raises:
        InputError: one has another form, or names a corpus that one before it names.
    """
    values: dict[str, _Value] = {}
    for part in parts:
        corpus, equals, written = (piece.strip() for piece in part.partition("="))
        value = read(written) if corpus and equals else None
        if value is None:
            raise InputError(f"{option} {part}: expected {form}")
        if corpus in values:
            raise InputError(f"{option} {part}: {corpus!r} is named twice")
        values[corpus] = value
    return values


def refuse_others(named: Iterable[str], corpora: Collection[str], option: str, which: str) -> None:
    """Arguments as for ``parse_values``; ``named`` are the corpora that are given a value.

    Raises:
        InputError: one of them may have none.
    """
    for corpus in named:
        if corpus not in corpora:
            raise InputError(f"{option}: {corpus!r} is no corpus that {which}{nearest(corpus, corpora)}")
