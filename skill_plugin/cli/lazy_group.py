"""A command whose subcommands' files are loaded when they are called."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import click

from skill_plugin.errors import with_short_values

_SENTENCE = 200  # characters, at most


@contextlib.contextmanager
def _short_values() -> Iterator[None]:
    try:
        yield
    except click.UsageError as error:
        error.message = with_short_values(error.message)  # type: ignore[misc] # final in name only
        raise


class LazyGroup(click.Group):
    """Starts quickly, whatever its subcommands need.

    Args:
        subcommands: name -> the module of ``skill_plugin.cli`` that defines it as a function of the module's own name.
    """

    def __init__(self, *args: Any, subcommands: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.subcommands = subcommands

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """As click does; what it says of a long value is short."""
        with _short_values():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; what it says of a long value is short."""
        with _short_values():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.subcommands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, but with whole sentences."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(_SENTENCE)) for name, one in commands if one is not None])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.subcommands:
            return None
        module = importlib.import_module(f"skill_plugin.cli.{self.subcommands[cmd_name]}")
        command: click.Command = getattr(module, self.subcommands[cmd_name])
        return command
