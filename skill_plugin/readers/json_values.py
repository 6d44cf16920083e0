"""Columns of a JSON row: by key, by path, or by number."""

from __future__ import annotations

from typing import Any

from skill_plugin.errors import nearest
from skill_plugin.readers.row import BadRow, ColumnRef, Row, Wanted, shorten

ABSENT = object()


def look_up(value: Any, reference: ColumnRef) -> Any:
    """The value of a column, or ABSENT.

    ``a.b`` is the key "a.b" where there is one, else b in a; a number is a place in a list.

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
        else:
            return ABSENT
    return value


def make_row(line: int, value: Any, wanted: Wanted, name: str = "row") -> Row | BadRow:
    """The wanted columns of one JSON object (or list, where columns are numbers)."""
    if not isinstance(value, dict | list):
        return BadRow(line, "not an object", f"the {name} is {describe(value)}; expected an object")
    values = {}
    for reference in wanted.all:
        found = look_up(value, reference)
        if found is not ABSENT:
            values[reference] = found
        elif reference in wanted.required:
            keys = list(value) if isinstance(value, dict) else []
            kind = f"the keys are {shorten(keys, 200)}" if keys else f"the {name} is {describe(value)}"
            message = f"the {name} has no column {reference!r}: {kind}{nearest(str(reference), keys) if keys else ''}"
            return BadRow(line, "missing column", message)
    return Row(line, values)


def describe(value: Any) -> str:
    """A JSON value in a message, in JSON's words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    return f"the string {shorten(value)}" if isinstance(value, str) else f"the number {shorten(value)}"
