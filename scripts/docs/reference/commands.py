"""The page of all verbs of ``skill-plugin``, as their ``--help`` describes them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from reference.markdown import table, with_options_as_code
from skill_plugin.cli.main import skill_plugin

INTRODUCTION = """\
# Commands

`skill-plugin VERB`, or `python -m skill_plugin VERB`. The exit status is 0 where all is good, 1 where the input is at
fault (one line says what was expected, and where), 2 where the command was used wrongly. Between `prepare` and
`evaluate` stands [`fairseq-train`](options.md). All verbs have `--help`.
"""


def commands() -> str:
    """A section for each verb, and for each of its own verbs."""
    context = click.Context(skill_plugin, info_name="skill-plugin")
    return "\n".join((INTRODUCTION, *_verbs(skill_plugin, context, "##")))


def _verbs(group: click.Group, context: click.Context, heading: str) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        yield f"{heading} {name}\n\n```\n{inner.command_path} {' '.join(command.collect_usage_pieces(inner))}\n```\n"
        yield with_options_as_code(inspect.cleandoc(command.help or "")) + "\n"
        records = [one.get_help_record(inner) for one in command.params if isinstance(one, click.Option)]
        if rows := [(f"`{flags}`", with_options_as_code(text)) for flags, text in filter(None, records)]:
            yield table(("option", "meaning"), rows)
        if isinstance(command, click.Group):
            yield from _verbs(command, inner, f"{heading}#")
