"""Options of ``fairseq-train`` as a sweep file gives them, with the line of each."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.options.flag import flag_of
from skill_plugin.pipeline.fairseq_options import OTHER_NAMES, parse_options
from skill_plugin.spec.yaml_lines import LinedDict, LinedList, Mangled, show

DATA = "data"  # the data folder, the one argument that is no option
CORPORA, ENCODER = "--corpora", "--init-from"
PATHS = (DATA, CORPORA, ENCODER)

_OTHER_NAMES = {"--data": DATA, "--encoder": ENCODER, "--a": "--arch"} | OTHER_NAMES
# what a sweep decides itself, and what would take away the checkpoints that it needs
_TAKEN = {
    "--user-dir": "it is this plugin",
    "--task": "it is the plugin's",
    "--seed": "say it with 'seeds'",
    "--save-dir": "it is a folder of the sweep",
    "--restore-file": "runs go on by themselves",
    "--best-checkpoint-metric": "say it with 'choose'",
    "--maximize-best-checkpoint-metric": "it follows from 'choose'",
    "--no-save": "checkpoints are scored",
}


@dataclass(frozen=True)
class Given:
    """A value.

    Attributes:
        words: as they stand on a command line, none for a flag; None takes back what was given before.
        line: where it is written; None for a default.
    """

    words: tuple[str, ...] | None
    line: int | None = None


Options = dict[str, Given]  # by the option's name, as ``--lr``


def defaults(**words: str) -> Options:
    """Options that no file gives, by their names with underscores; an empty text is a flag."""
    return {flag_of(name): Given((text,) if text else ()) for name, text in words.items()}


def merged(*parts: Options) -> Options:
    """All options; those of later parts win, also where they take one back."""
    options: Options = {}
    for part in parts:
        options |= part
    return options


def option_name(key: str | int) -> str:
    """``max_update``, ``max-update`` and ``--max-update`` are ``--max-update``."""
    name = "--" + str(key).lstrip("-").replace("_", "-")
    return _OTHER_NAMES.get(name, name)


def read_options(written: LinedDict | str, file: Path, line: int) -> Options:
    """Reads options.

    Args:
        written: a mapping of them, or the text of a command line, as ``--lr 1e-4 --fp16``.
        file: where they are written.
        line: of a text.

    Raises:
        InputError: an option that is not free, one that is there twice, or a value that is none.
    """
    if isinstance(written, str):
        return _read_words(written, file, line)
    options: Options = {}
    for key, value in written.items():
        name, line = option_name(key), written.lines[key]
        _refuse_taken(name, file, line)
        if name in options:
            raise InputError(f"{name} is given twice, first in line {options[name].line}", file, line)
        options[name] = Given(value_words(name, value, file, line), line)
    return options


def _read_words(text: str, file: Path, line: int) -> Options:
    try:
        found = parse_options(shlex.split(text))
    except (ValueError, InputError) as error:
        raise InputError(f"options: {error}", file, line) from None
    options: Options = {}
    for written, words in found.items():
        name = option_name(written)
        _refuse_taken(name, file, line)
        options[name] = Given(tuple(_path(word, file) for word in words) if name in PATHS else words, line)
    return options


def _refuse_taken(name: str, file: Path, line: int) -> None:
    if name in _TAKEN:
        raise InputError(f"{name} cannot be given: {_TAKEN[name]}", file, line)


def _path(text: str, file: Path) -> str:
    return str(file.parent / Path(text).expanduser())


def plain(value: Any) -> Any:
    """A value as it is written; ``no`` and ``off`` are false, as flags are given."""
    if isinstance(value, Mangled):
        return value.value if isinstance(value.value, bool) else value.text
    return value


def value_words(name: str, value: Any, file: Path, line: int) -> tuple[str, ...] | None:
    """The words of a value: a list is joined by commas, a mapping is ``a=1,b=2``; paths are relative to the file.

    Raises:
        InputError: not such a value.
    """
    value = plain(value)
    if value is None or value is False:
        return None
    if value is True:
        if name in PATHS:
            raise InputError(f"{name}: expected a path", file, line)
        return ()
    if isinstance(value, LinedList):
        value = ",".join(_text(name, item, file, line) for item in value)
    elif isinstance(value, LinedDict):
        value = ",".join(f"{key}={_text(name, item, file, line)}" for key, item in value.items())
    text = _text(name, value, file, line)
    return (_path(text, file) if name in PATHS else text,)


def _text(name: str, value: Any, file: Path, line: int) -> str:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{name}: expected a value, not {show(value)}", file, line)
    return str(value)


def words_of(options: Mapping[str, Given], name: str) -> tuple[str, ...] | None:
    """The words of an option; None where it is not given."""
    return options[name].words if name in options else None


def text_of(options: Mapping[str, Given], name: str) -> str | None:
    """The one word of an option; None where it is not given, or a flag."""
    words = words_of(options, name)
    return words[0] if words else None
