"""Options of models on a command of ours, made from where they are declared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from skill_plugin.options.option import Option


def add_options(options: Sequence[Option]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the command gets a value for each option, by its name."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(options):  # click puts the last one first
            command = _click(one)(command)
        return command

    return add


def _click(option: Option) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    if option.type is bool:
        return click.option(option.flag, option.name, is_flag=True, help=_sentence(option))
    type_ = click.Choice(list(option.choices)) if option.choices else option.type
    return click.option(option.flag, option.name, type=type_, default=option.default, help=_sentence(option))


def _sentence(option: Option) -> str:
    published = "" if option.published is None else " (default: as published)"
    return option.help[:1].upper() + option.help[1:] + published + "."
