"""Keys that stand twice in a JSON object: Python keeps the last value and says nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(?P<colon>\s*:)?|[][{}]', re.DOTALL)


class RepeatedKeyError(ValueError):
    """A key stands twice in an object, with different values."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class SeveralValues:
    """What stands in an object in place of the different values of a key that it has more than once."""


def refuse_repeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Makes an object, as ``object_pairs_hook`` of Python's json. A key may stand twice with the same value.

    Raises:
        RepeatedKeyError: a key has different values.
    """
    found = dict(pairs)
    if len(found) < len(pairs) and (lost := _lost(pairs, found)):
        raise RepeatedKeyError(lost[0])
    return found


def mark_repeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Makes an object, as ``object_pairs_hook`` of Python's json, with ``SeveralValues`` under a key that has different
    values, so that only who asks for that key need refuse it."""
    found = dict(pairs)
    if len(found) < len(pairs):
        found |= dict.fromkeys(_lost(pairs, found), SeveralValues())
    return found


def _lost(pairs: Sequence[tuple[str, Any]], kept: dict[str, Any]) -> list[str]:
    """The keys of which a value is lost; 1, 1.0 and true are different values."""
    return [key for key, value in pairs if repr(value) != repr(kept[key])]


def line_of_repeated(text: str, key: str) -> int:
    """The line of a JSON text in which a key stands in an object that has it already; 1 where there is none."""
    open_: list[set[str]] = []  # the keys of each object and list around the place
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            open_.append(set())
        elif token[0] in "}]":
            open_.pop()
        elif token["colon"]:
            name = json.loads(token[0][: -len(token["colon"])], strict=False)
            if name == key and key in open_[-1]:
                return text.count("\n", 0, token.start()) + 1
            open_[-1].add(name)
    return 1
