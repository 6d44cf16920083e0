"""``skill-plugin adapter merge BASE ADAPTER OUT``: a model without adapters that gives the same."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("files", metavar="(BASE ADAPTER | CHECKPOINT) OUT", nargs=-1, required=True)
def adapter_merge(files: tuple[str, ...]) -> None:
    """Add the adapter ADAPTER to its base BASE, or CHECKPOINT's adapter to CHECKPOINT's own base, and write it to OUT.

    predict, evaluate, describe and --init-from take OUT as any checkpoint; a run does not go on from it.
    """
    from skill_plugin.checkpoints.adapter_file import put_on_base
    from skill_plugin.checkpoints.checkpoint import read_checkpoint, save_checkpoint
    from skill_plugin.errors import InputError
    from skill_plugin.files.whole_file import check_output

    if len(files) not in (2, 3):
        raise click.UsageError("expected BASE ADAPTER OUT, or CHECKPOINT OUT")
    *sources, out = files
    check_output(out, *sources)
    if len(sources) == 2:
        trained = put_on_base(sources[1], sources[0])
    else:
        trained = read_checkpoint(sources[0])
        if not trained.bundle.lora.rank:
            raise InputError("has no adapter: trained without --lora-rank, or merged", sources[0])
    save_checkpoint(trained.merged(), out)
    click.echo(f"wrote {out} ({Path(out).stat().st_size / 1e6:,.0f} MB)")
