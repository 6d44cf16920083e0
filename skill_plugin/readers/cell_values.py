"""Reads the value of one cell, or one JSON value: a label, a number or a list."""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Sequence
from typing import Any

from skill_plugin.errors import listing
from skill_plugin.files.repeated_keys import mark_repeated
from skill_plugin.readers.json_values import describe_value

HALF_SURROGATE = re.compile("[\ud800-\udfff]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}(\.0*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_STRING = r"""(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
_STRINGS = rf"{_STRING}\s*(?:,\s*{_STRING}\s*)*,?\s*"
_PYTHON_LIST = re.compile(rf"\[\s*(?:{_STRINGS})?\]")
_PYTHON_TUPLE_OR_SET = re.compile(rf"\(\s*{_STRING}\s*,\s*(?:{_STRINGS})?\)|\{{\s*{_STRINGS}\}}")
_TRUTH = {"true": 1, "false": 0}
_EXACT = 2.0**53  # up to which whole numbers are told apart as floating-point ones


def read_scalar(value: Any) -> tuple[str, str | None]:
    """Turns a label, or a value for ``where``, into text (100 -> "100", true -> "true", and 1.0 -> "1": data frames
    make such numbers of a column of whole ones in which some are missing).

    Returns:
        The text, and what is wrong with the value; None if nothing is.
    """
    if isinstance(value, str):
        return value, "half a surrogate pair" if not value.isascii() and HALF_SURROGATE.search(value) else None
    if isinstance(value, int):
        return describe_value(value) if isinstance(value, bool) else str(value), None
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return str(int(value)), None
    return "", describe_value(value)


def parse_whole_number(value: Any) -> int | None:
    """Reads a whole number: 3 from 3, 3.0, "3" and " 3 ", 1 from true and "true". None if the value is none.

    >>> parse_whole_number("2"), parse_whole_number(True), parse_whole_number("2.5"), parse_whole_number(None)
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


def parse_finite_number(value: Any, decimal: str = ".") -> float | None:
    """Reads a finite number, from JSON or text; None for all else, as nan and 1_000.

    Args:
        value: of a cell.
        decimal: what stands in text before decimal places; with a comma a point is none.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if decimal != ".":
            value = value.replace(".", " ").replace(decimal, ".")
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
        value: the value of the cell.
        quoted: accept only a list that is empty or begins with a string or an object. It is for fields whose texts may
            stand in brackets, such as ``[1]``. A tuple or set of strings counts as a list in any case.
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
    """Parses the list in a cell: JSON, or strings in a list, tuple or set as Python and data frames write them.

    Everything else gives None, also strings without commas between them, as numpy writes them.

    >>> parse_list("['a', \\"it's\\"]"), parse_list("[0, 1]"), parse_list("['a' 'b']"), parse_list("[a, b]")
    (['a', "it's"], [0, 1], None, None)
    """
    try:
        found = json.loads(value, object_pairs_hook=mark_repeated)
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
    """What a message says was expected in place of a missing label."""
    return "a label" if not labels else f"one of: {listing(labels)}"
