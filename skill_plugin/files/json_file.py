"""JSON files: whatever is in one, it is read or named in one line; what is written is valid JSON.

Raw corpora are read by ``readers``, which know the line of every value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, reason_of
from skill_plugin.files.whole_file import whole_file


def parse_json(text: str, file: str | PathLike[str] | None = None, line: int | None = None) -> Any:
    """The value that a text says.

    Args:
        text: JSON.
        file: where it stands, for messages.
        line: of the file, where the text is one line of it.

    Raises:
        InputError: not JSON, nested too deeply, or with a number of thousands of digits.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} (column {error.colno})", file, line or error.lineno) from None
    except RecursionError:
        raise InputError("not JSON that can be read: nested too deeply", file, line) from None
    except ValueError:
        raise InputError("not JSON that can be read: a number of thousands of digits", file, line) from None


def read_text(path: Path) -> str:
    """A UTF-8 file, without a BOM.

    Raises:
        InputError: missing or not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 (byte {error.start})", path) from None
    except OSError as error:
        raise InputError(reason_of(error), path) from None


def read_json(path: Path) -> dict[str, Any]:
    """The object that a JSON file holds.

    Raises:
        InputError: missing, not JSON, or not an object; with the line.
    """
    value = parse_json(read_text(path), path)
    if not isinstance(value, dict):
        raise InputError(f"expected a JSON object, found {type(value).__name__}", path)
    return value


def json_text(value: Any, indent: int | None = 2) -> str:
    """A value as JSON; what is no finite number is null, for which JSON has no other word."""
    return json.dumps(_finite(value), indent=indent, ensure_ascii=False, allow_nan=False)


def write_json(path: Path, value: Any) -> None:
    """A JSON file, whole or absent.

    Raises:
        InputError: it cannot be written.
    """
    with whole_file(path) as beside:
        beside.write_text(json_text(value) + "\n", encoding="utf-8")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value
