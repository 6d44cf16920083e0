"""``skill-plugin average CKPT CKPT… OUT``: the mean of checkpoints of one run."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.options.allowed_values import LARGEST


@click.command()
@click.argument(
    "files", metavar="(CHECKPOINT… | SAVE_DIR) OUT", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--last", type=click.IntRange(2, LARGEST), help="The last so many checkpoints of the folder SAVE_DIR.")
def average(files: tuple[Path, ...], last: int | None) -> None:
    """Write the mean of trained checkpoints to OUT, such as the last ones of a run, which is often better than each.

    With --last the run's folder is named: its checkpoints by update, or else by epoch. OUT is for predict, evaluate,
    export and --init-from; a run does not go on from it. It has no calibration. What it says
    of the training data is what the checkpoint that was trained longest says.
    """
    from skill_plugin.checkpoints.average import average_checkpoints, latest_checkpoints
    from skill_plugin.checkpoints.checkpoint import save_checkpoint
    from skill_plugin.errors import shown
    from skill_plugin.files.distinct_files import check_distinct
    from skill_plugin.files.whole_file import check_output

    *sources, out = files
    if last is not None and len(sources) != 1:
        raise click.UsageError("with --last expected SAVE_DIR OUT")
    if last is None and len(sources) < 2:
        raise click.UsageError("expected two checkpoints or more, and OUT; or --last N SAVE_DIR OUT")
    if last is not None:
        sources = latest_checkpoints(sources[0], last)
    check_distinct(sources, "a mean counts each checkpoint once")
    check_output(out, *sources)
    save_checkpoint(average_checkpoints(sources), out)
    click.echo(shown(f"wrote {out}, the mean of {', '.join(map(str, sources))}"))
