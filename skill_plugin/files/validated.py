"""Plain values of a file as the dataclass that they are of."""

from __future__ import annotations

from os import PathLike
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from skill_plugin.errors import InputError

T = TypeVar("T")


def validate(kind: type[T], values: Any, file: str | PathLike[str] | None) -> T:
    """A dataclass from values by name; what is not there has its default.

    Args:
        kind: the dataclass.
        values: as they were read.
        file: where, for the message.

    Raises:
        InputError: the first value that is missing or of another type.
    """
    try:
        return TypeAdapter(kind).validate_python(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        what = f"lacks {place!r}" if first["type"] == "missing" else f"{place}: {first['msg']}"
        raise InputError(f"damaged: {what}", file) from None
