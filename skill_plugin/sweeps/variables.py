"""``${NAME}`` and ``${NAME:-otherwise}`` in the values of a sweep file: what is set from outside."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.spec.yaml_lines import LinedDict, LinedList, load_yaml

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}")


def fill_in(value: Any, file: Path, line: int) -> Any:
    """A value with variables in it replaced; one that had some is read as YAML again, so that it may be a list.

    Raises:
        InputError: a variable that is not set and has no other value.
    """
    if isinstance(value, LinedDict):
        for key in value:
            value[key] = fill_in(value[key], file, value.lines[key])
        return value
    if isinstance(value, LinedList):
        value[:] = [fill_in(item, file, at) for item, at in zip(value, value.lines, strict=True)]
        return value
    if not isinstance(value, str) or not _VARIABLE.search(value):
        return value

    def find(match: re.Match[str]) -> str:
        found = os.environ.get(match[1]) or match[2]
        if found is None:
            raise InputError(f"the environment variable {match[1]} is not set", file, line)
        return found

    filled = _VARIABLE.sub(find, value)
    read = load_yaml(filled, file) if _VARIABLE.fullmatch(value) else filled
    return read if not isinstance(read, LinedDict) else filled
