"""What runs differ in: an option with its values, or named sets of options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.spec.yaml_lines import LinedDict, LinedList, show
from skill_plugin.sweeps.options import PATHS, Options, option_name, plain, read_options, value_words

RUNS = "runs"  # the axis of the file's named runs


@dataclass(frozen=True)
class Choice:
    """One value of an axis.

    Attributes:
        label: what tables and folders call it.
        options: what it gives to a run.
    """

    label: str
    options: Options


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        name: of the option without dashes, or of its own.
        choices: at least one.
        of_option: whether its choices are values of the option of that name.
    """

    name: str
    choices: tuple[Choice, ...]
    of_option: bool

    def shown(self, choice: Choice) -> str:
        """A choice in a table: the value of an option goes with its name."""
        return f"{self.name} {choice.label}" if self.of_option else choice.label

    def folder(self, choice: Choice) -> str:
        """A choice in the name of a folder."""
        return f"{self.name}={choice.label}" if self.of_option else choice.label


def read_axes(grid: LinedDict | None, runs: LinedDict | None, file: Path) -> tuple[Axis, ...]:
    """The axes of ``runs`` and ``grid``.

    Raises:
        InputError: an axis without a value, with one twice, or one that is no value.
    """
    axes = [] if runs is None else [_read_named(RUNS, runs, file, runs.line)]
    for key, value in (grid or {}).items():
        line = grid.lines[key] if grid is not None else 0
        if isinstance(value, LinedDict):
            axes.append(_read_named(str(key), value, file, line))
        elif isinstance(value, LinedList):
            axes.append(_read_values(key, value, file, line))
        else:
            message = f"{key}: expected a list of values, or named sets of options, not {show(value)}"
            raise InputError(message, file, line)
    return tuple(axes)


def _read_values(key: str | int, values: LinedList, file: Path, line: int) -> Axis:
    name = option_name(key)
    choices: list[Choice] = []
    for value, at in zip(values, values.lines, strict=True):
        given = read_options(_pair(key, value, at), file, at)
        label = _label(name, value, file, at)
        if label in [choice.label for choice in choices]:
            raise InputError(f"{name}: {label} is there twice", file, at)
        choices.append(Choice(label, given))
    if not choices:
        raise InputError(f"{name}: expected one value or more", file, line)
    return Axis(name.lstrip("-"), tuple(choices), of_option=True)


def _pair(key: str | int, value: Any, line: int) -> LinedDict:
    pair = LinedDict(line)
    pair[key], pair.lines[key] = value, line
    return pair


def _label(name: str, value: Any, file: Path, line: int) -> str:
    value = plain(value)
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    if name in PATHS:
        return Path(str(value)).stem
    words = value_words(name, value, file, line) or ()
    return ",".join(words)


def _read_named(name: str, sets: LinedDict, file: Path, line: int) -> Axis:
    choices = []
    for label, options in sets.items():
        if options is None:
            options = LinedDict(sets.lines[label])
        if not isinstance(options, LinedDict | str):
            message = f"{label}: expected options, as {{lr: 1e-4}}, not {show(options)}"
            raise InputError(message, file, sets.lines[label])
        choices.append(Choice(str(label), read_options(options, file, sets.lines[label])))
    if not choices:
        raise InputError(f"{name}: expected one named set of options or more", file, line)
    return Axis(name, tuple(choices), of_option=False)
