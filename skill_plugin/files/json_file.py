"""JSON files: a file that cannot be read is told in one line, whatever is in it; what is written is valid JSON.

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
from skill_plugin.files.repeated_keys import RepeatedKeyError, line_of_repeated, refuse_repeated
from skill_plugin.files.whole_file import write_text


def parse_json(text: str, file: str | PathLike[str] | None = None, line: int | None = None) -> Any:
    """Parses a JSON text.

    Args:
        text: the JSON text.
        file: the file that it is from, for messages.
        line: its line in that file, if it is one line of several.

    Raises:
        InputError: not JSON, a key twice in an object with different values, nested too deeply, or with a number of
            thousands of digits.
    """
    try:
        return json.loads(text, object_pairs_hook=refuse_repeated)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} (column {error.colno})", file, line or error.lineno) from None
    except RepeatedKeyError as error:
        message = f"not JSON that can be read: the key {error.key!r} stands twice in an object, with different values"
        raise InputError(message, file, line or line_of_repeated(text, error.key)) from None
    except RecursionError:
        raise InputError("not JSON that can be read: nested too deeply", file, line) from None
    except ValueError:
        raise InputError("not JSON that can be read: a number of thousands of digits", file, line) from None


def read_text(path: Path) -> str:
    """Reads a UTF-8 file; a byte order mark at its beginning is left out.

    Raises:
        InputError: the file is missing or not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 (byte {error.start})", path) from None
    except OSError as error:
        raise InputError(reason_of(error), path) from None


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON file that holds an object.

    Raises:
        InputError: the file is missing, not JSON (with the line of the fault), or not an object.
    """
    value = parse_json(read_text(path), path)
    if not isinstance(value, dict):
        raise InputError(f"expected a JSON object, found {type(value).__name__}", path)
    return value


def json_text(value: Any, indent: int | None = 2) -> str:
    """Writes a value as JSON; NaN and infinities become null, since JSON has no word for them."""
    return json.dumps(_finite(value), indent=indent, ensure_ascii=False, allow_nan=False)


def write_json(path: Path, value: Any) -> None:
    """Writes a JSON file, as a whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(path, json_text(value) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value
