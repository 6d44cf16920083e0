"""``skill-plugin adapter VERB …``: what a run with ``--lora-rank`` has trained, apart from its base."""

from __future__ import annotations

import click

from skill_plugin.cli.lazy_group import LazyGroup

VERBS = {"extract": "adapter_extract", "merge": "adapter_merge"}


@click.command(cls=LazyGroup, subcommands=VERBS)
def adapter() -> None:
    """Take an adapter out of a checkpoint, or merge it into its base."""
