"""Checks plain values that were read from a file, and makes a dataclass of them."""

from __future__ import annotations

from os import PathLike
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from skill_plugin.errors import InputError

T = TypeVar("T")


def validate(kind: type[T], values: Any, file: str | PathLike[str] | None) -> T:
    """Makes a dataclass from values by name; fields without a value get their default.

    Args:
        kind: the dataclass.
        values: a mapping of field names to plain values.
        file: the file that they are from, for the message.

    Raises:
        InputError: a value is missing or has another type; the message names the first one.
    """
    try:
        return TypeAdapter(kind).validate_python(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        said = first["msg"].removeprefix("Value error, ")  # pydantic's words before those of a check of ours
        what = f"lacks {place!r}" if first["type"] == "missing" else f"{place}: {said}"
        raise InputError(f"damaged: {what}", file) from None
