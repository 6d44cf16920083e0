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
from skill_plugin.spec.corpus import RawFiles, Source
from skill_plugin.spec.yaml_lines import LinedDict, LinedList, Mangled, show

KEYS = ("path", "articles")
_ARTICLES = re.compile("[0-9]{0,9}:[0-9]{0,9}", re.ASCII)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def read_source(value: Any, place: str, format_: str, file: Path, line: int) -> Source:
    """The source of one split: a file, or a list of files that are read one after the other.

    Args:
        value: what stands in the YAML.
        place: corpus and split, for messages.
        file: the corpora file; paths are relative to its folder, those with ``${NAME}`` to the working folder. While
            the variable is not set (or empty) they stay as written, since a checkpoint's corpora file is also read
            where there is no raw data; see ``find_unset_variable``.
        line: line of the split in it.

    Raises:
        InputError: not a path where one was expected, ``${`` without a variable's name, an unknown key, a file that
            the list names twice.
    """
    if not isinstance(value, LinedList):
        return Source(inputs=(_read_input(value, place, format_, file, line),), line=line)
    if not value:
        raise InputError(f"{place}: expected the path of a file or a list of them, not an empty list", file, line)
    inputs: list[RawFiles] = []
    for item, item_line in zip(value, value.lines, strict=True):
        found = _read_input(item, place, format_, file, item_line)
        if found in inputs:
            raise InputError(f"{place}: the list names {show(item)} twice", file, item_line)
        inputs.append(found)
    return Source(inputs=tuple(inputs), line=line)


def _read_input(value: Any, place: str, format_: str, file: Path, line: int) -> RawFiles:
    if format_ == "lines":
        return _read_parallel(value, place, file, line)
    if not isinstance(value, LinedDict):
        return RawFiles(path=_path(value, place, file, line))
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
    return RawFiles(path=_path(value["path"], place, file, value.lines["path"]), articles=text)


def _read_parallel(value: Any, place: str, file: Path, line: int) -> RawFiles:
    if not isinstance(value, LinedDict) or not value:
        message = f"{place}: the format lines expects a file for each column, as {{text_a: FILE, label: FILE}}"
        raise InputError(message, file, line)
    return RawFiles(paths={str(key): _path(value[key], place, file, value.lines[key]) for key in value})


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


def find_unset_variable(path: Path) -> str | None:
    """The variable with which the path begins, if it was not set when the corpora file was read."""
    match = _VARIABLE.match(str(path))
    return None if match is None else match[1]
