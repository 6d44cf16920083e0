"""``skill-plugin report RUN…``: one HTML page of a run, or of several with other seeds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=_FILE)
@click.option(
    "--baseline",
    "baselines",
    metavar="RUN",
    multiple=True,
    type=_FILE,
    help="Compare with this run. Can be given several times, for the seeds in the order of RUN.",
)
@click.option("--out", type=_FILE, default=Path("report.html"), show_default=True, help="The page to write.")
def report(runs: Sequence[Path], baselines: Sequence[Path], out: Path) -> None:
    """Write one HTML page, which needs no other file and no network, of a training run.

    RUN is the folder that --save-dir named, a checkpoint in it, or a results.json alone. Several are runs of the same
    model with other seeds: scores are their means, and details are of the first.
    """
    from skill_plugin.report.page.make_page import make_page
    from skill_plugin.report.page.page_data import PageData
    from skill_plugin.report.page.reported_run import ReportedRun

    data = PageData(
        runs=[ReportedRun.read(path) for path in runs],
        baselines=[ReportedRun.read(path) for path in baselines],
        command=["skill-plugin", *sys.argv[1:]],
    )
    make_page(data, out)
    click.echo(f"wrote {out}")
