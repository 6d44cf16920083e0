"""What stands in one cell or JSON value: labels, numbers, lists."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from skill_plugin.errors import listing
from skill_plugin.readers.json_values import describe

HALF_SURROGATE = re.compile("[\ud800-\udfff]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}(\.0*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_TRUTH = {"true": 1, "false": 0}


def scalar(value: Any) -> tuple[str, str | None]:
    """A label or the value of ``where`` as text (100 -> "100", true -> "true"), and what is wrong with it."""
    if isinstance(value, str):
        return value, "half a surrogate pair" if not value.isascii() and HALF_SURROGATE.search(value) else None
    if isinstance(value, int):
        return describe(value) if isinstance(value, bool) else str(value), None
    return "", describe(value)


def whole_number(value: Any) -> int | None:
    """3 of 3, 3.0, "3" and " 3 ", 1 of true and "true"; None of all that is no whole number.

    >>> whole_number("2"), whole_number(True), whole_number("2.5"), whole_number(None)
    (2, 1, None, None)
    """
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _WHOLE.fullmatch(text):
        return int(text.partition(".")[0])
    return _TRUTH.get(text.lower())


def finite_number(value: Any) -> float | None:
    """A finite number, from JSON or as text with a point; None of all else, as nan, 1_000 and 1,5."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value.strip()):
            return None
    elif not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return None
    return number if math.isfinite(number) else None


def listed(value: Any) -> Any:
    """The list that is written as JSON in a cell of a table; other values as they are."""
    if isinstance(value, str) and value.lstrip().startswith("[") and value.rstrip().endswith("]"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def one_of(labels: Sequence[str] | None) -> str:
    """What was expected where a label is missing."""
    return "a label" if not labels else f"one of: {listing(labels)}"
