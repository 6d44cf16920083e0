"""What stands in one cell or JSON value: labels, numbers, lists."""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Sequence
from typing import Any

from skill_plugin.errors import listing
from skill_plugin.readers.json_values import describe_value

HALF_SURROGATE = re.compile("[\ud800-\udfff]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}(\.0*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_STRING = r"""(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
_STRINGS = rf"{_STRING}\s*(?:,\s*{_STRING}\s*)*,?\s*"
_PYTHON_LIST = re.compile(rf"\[\s*(?:{_STRINGS})?\]")
_PYTHON_TUPLE_OR_SET = re.compile(rf"\(\s*{_STRING}\s*,\s*(?:{_STRINGS})?\)|\{{\s*{_STRINGS}\}}")
_TRUTH = {"true": 1, "false": 0}


def read_scalar(value: Any) -> tuple[str, str | None]:
    """A label or the value of ``where`` as text (100 -> "100", true -> "true"), and what is wrong with it."""
    if isinstance(value, str):
        return value, "half a surrogate pair" if not value.isascii() and HALF_SURROGATE.search(value) else None
    if isinstance(value, int):
        return describe_value(value) if isinstance(value, bool) else str(value), None
    return "", describe_value(value)


def parse_whole_number(value: Any) -> int | None:
    """3 of 3, 3.0, "3" and " 3 ", 1 of true and "true"; None of all that is no whole number.

    >>> whole_number("2"), parse_whole_number(True), parse_whole_number("2.5"), parse_whole_number(None)
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


def parse_finite_number(value: Any) -> float | None:
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


def looks_listed(value: Any, quoted: bool = False) -> bool:
    """Whether a cell is written as a list.

    Args:
        value: the cell.
        quoted: only if it is empty or begins with a string or an object, for fields whose texts may stand in brackets,
            as ``[1]``. A tuple or set of strings is a list in any case.
    """
    if not isinstance(value, str):
        return False
    text = value.strip()
    if text[:1] in ("(", "{"):
        return _PYTHON_TUPLE_OR_SET.fullmatch(text) is not None
    if text[:1] != "[" or text[-1] != "]":
        return False
    inside = text[1:-1].lstrip()
    return not quoted or not inside or inside.startswith(("'", '"', "{"))


def parse_list(value: str) -> list[Any] | None:
    """The list that is written in a cell, in JSON, or as Python and data frames write strings in a list, tuple or set.

    Strings without a comma between them, as numpy writes them, are no list, and give None as all else does.

    >>> parse_list("['a', \\"it's\\"]"), parse_list("[0, 1]"), parse_list("['a' 'b']"), parse_list("[a, b]")
    (['a', "it's"], [0, 1], None, None)
    """
    try:
        found = json.loads(value)
        return found if isinstance(found, list) else None
    except (ValueError, RecursionError):
        pass
    value = value.strip()
    if _PYTHON_TUPLE_OR_SET.fullmatch(value):
        value = f"[{value[1:-1]}]"  # a set in the order in which it is written
    if not _PYTHON_LIST.fullmatch(value):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an escape that Python does not have
            strings: list[str] = ast.literal_eval(value)
    except (ValueError, SyntaxError, SyntaxWarning, DeprecationWarning):
        return None
    return strings


def expected_label(labels: Sequence[str] | None) -> str:
    """What was expected where a label is missing."""
    return "a label" if not labels else f"one of: {listing(labels)}"
