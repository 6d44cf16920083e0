"""One split as written (a path, or a mapping) to a Source.

A path may begin with ``${NAME}``, which stands for the value of that environment variable, so that a corpora file need
not say where the data is on one machine: ``SKILL_DATA=/data skill-plugin check nli.yaml``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.spec.corpus import Source
from skill_plugin.spec.yaml_lines import LinedDict, Mangled, show

KEYS = ("path", "articles")
_ARTICLES = re.compile("[0-9]{0,9}:[0-9]{0,9}", re.ASCII)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def read_source(value: Any, place: str, format_: str, file: Path, line: int) -> Source:
    """The source of one split.

    Args:
        value: what stands in the YAML.
        place: corpus and split, for messages.
        file: the corpora file; paths are relative to its folder, those with ``${NAME}`` to the working folder. While
            the variable is not set (or empty) they stay as written, since a checkpoint's corpora file is also read
            where there is no raw data; see ``unset_variable``.
        line: line of the split in it.

    Raises:
        InputError: not a path where one was expected, ``${`` without a variable's name, an unknown key.
    """
    if format_ == "lines":
        return _read_lines_source(value, place, file, line)
    if not isinstance(value, LinedDict):
        return Source(path=_path(value, place, file, line), line=line)
    for key in value:
        if key not in KEYS:
            raise InputError(f"{place}: unknown key {str(key)!r}{nearest(str(key), KEYS)}", file, value.lines[key])
    if "path" not in value:
        raise InputError(f"{place} has no 'path'", file, line)
    articles = value.get("articles")
    if articles is not None and format_ != "squad":
        message = f"{place}: 'articles' is an option of the format squad, but the format is {format_!r}"
        raise InputError(message, file, value.lines["articles"])
    text = articles.text if isinstance(articles, Mangled) else articles  # YAML 1.1 reads 18:24 as 1104
    if text is not None and not (isinstance(text, str) and _ARTICLES.fullmatch(text)):
        message = (
            f'{place}: articles: expected "FIRST:LAST" with numbers from 0, LAST not included, not {show(articles)}'
        )
        raise InputError(message, file, value.lines["articles"])
    return Source(path=_path(value["path"], place, file, value.lines["path"]), articles=text, line=line)


def _read_lines_source(value: Any, place: str, file: Path, line: int) -> Source:
    if not isinstance(value, LinedDict) or not value:
        message = f"{place}: the format lines expects a file for each column, as {{text_a: FILE, label: FILE}}"
        raise InputError(message, file, line)
    paths = {str(key): _path(value[key], place, file, value.lines[key]) for key in value}
    return Source(paths=paths, line=line)


def _path(value: Any, place: str, file: Path, line: int) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise InputError(f"{place}: expected the path of a file, not {show(value)}", file, line)
    if not value.startswith("${"):
        return file.parent / value
    match = _VARIABLE.match(value)
    if match is None:
        message = f"{place}: the path {show(value)} begins with no variable; expected ${{NAME}} with ASCII letters,"
        raise InputError(f"{message} digits and '_'", file, line)
    folder = os.environ.get(match[1])
    return Path.cwd() / (folder + value[match.end() :]) if folder else Path(value)


def unset_variable(path: Path) -> str | None:
    """The variable with which the path begins, if it was not set when the corpora file was read."""
    match = _VARIABLE.match(str(path))
    return None if match is None else match[1]
