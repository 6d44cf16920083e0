"""Finds the columns of a JSON row, by key, by path or by number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from skill_plugin.errors import nearest
from skill_plugin.files.repeated_keys import SeveralValues
from skill_plugin.readers.row import BadRow, Row, Wanted, shorten
from skill_plugin.spec.columns import Column
from skill_plugin.spec.corpus import Corpus

ABSENT = object()


def look_up(value: Any, reference: Column) -> Any:
    """The value of a column, or ABSENT; ``SeveralValues`` where a key on the way stands twice.

    ``a.b`` is the key "a.b" if there is one, otherwise the key b in the value of a. A number is a place in a list.

    >>> look_up({"passage": {"texts": ["x", "y"]}}, "passage.texts.1")
    'y'
    """
    if isinstance(reference, int):
        return value[reference] if isinstance(value, list) and reference < len(value) else ABSENT
    if isinstance(value, dict) and reference in value:
        return value[reference]
    for key in reference.split("."):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif not isinstance(value, SeveralValues):
            return ABSENT
    return value


def make_rows(corpus: Corpus, line: int, value: Any, wanted: Wanted, name: str = "row") -> Iterator[Row | BadRow]:
    """Makes a row of a JSON object (or of a list, if columns are numbers). With ``each`` in the corpus, makes a row of
    every element of a list inside it.

    The columns of an element are looked up in it first, then in the objects around it.
    """
    if corpus.each is None:
        yield make_row(line, (value,), wanted, name)
        return
    for found in _elements((value,), corpus.each.split("."), corpus.each):
        if isinstance(found, str):
            yield BadRow(line, "no list of rows", f"the {name} has {found}")
        else:
            row = make_row(line, found, wanted, f"element of {corpus.each!r} in this {name}")
            yield replace(row, group=f"{line} {name}") if isinstance(row, Row) else row


def _elements(scopes: tuple[Any, ...], keys: list[str], path: str) -> Iterator[tuple[Any, ...] | str]:
    """Each element that the keys lead to, with the values around it, innermost first; or what is wrong, as a string."""
    value = scopes[0]
    for number, key in enumerate(keys):
        value = look_up(value, key) if isinstance(value, dict | list) else ABSENT
        if value is ABSENT:
            known = list(scopes[0]) if isinstance(scopes[0], dict) and number == 0 else []
            yield f"no {key!r} for each: {path}{nearest(key, known)}"
            return
        if isinstance(value, list):
            for element in value:
                if number + 1 == len(keys):
                    yield element, *scopes
                else:
                    yield from _elements((element, *scopes), keys[number + 1 :], path)
            return
    yield f"{describe_value(value)} at {path!r}; expected a list (each: {path})"


def make_row(line: int, scopes: Sequence[Any], wanted: Wanted, name: str = "row") -> Row | BadRow:
    """Makes a row of the wanted columns; each is taken from the first of the scopes that has it."""
    value = scopes[0]
    if not isinstance(value, dict | list) and len(scopes) == 1:
        return BadRow(line, "not an object", f"the {name} is {describe_value(value)}; expected an object")
    values = {}
    for reference in wanted.all:
        found = next((found for scope in scopes if (found := look_up(scope, reference)) is not ABSENT), ABSENT)
        if isinstance(found, SeveralValues):
            message = f"the {name} has the column {reference!r} more than once, with different values"
            return BadRow(line, "repeated key", message)
        if found is not ABSENT:
            values[reference] = found
        elif reference in wanted.required:
            keys = list(dict.fromkeys(key for scope in scopes if isinstance(scope, dict) for key in scope))
            kind = f"the keys are {shorten(keys, 200)}" if keys else f"the {name} is {describe_value(value)}"
            message = f"the {name} has no column {reference!r}: {kind}{nearest(str(reference), keys) if keys else ''}"
            return BadRow(line, "missing column", message)
    return Row(line, values)


def describe_value(value: Any) -> str:
    """Describes a JSON value in a message, in JSON's terms."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, SeveralValues):
        return "written more than once, with different values"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    return f"the string {shorten(value)}" if isinstance(value, str) else f"the number {shorten(value)}"
