"""``skill-plugin report RUN…``: one HTML page of a run, or of several with other seeds."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from skill_plugin.cli.options import SPLIT

if TYPE_CHECKING:
    from skill_plugin.inference.evaluation import Watch
    from skill_plugin.report.inspection import Inspections
    from skill_plugin.report.page.analysis_file import AnalysisFile
    from skill_plugin.report.page.reported_run import ReportedRun
    from skill_plugin.report.results import Results

PAGE_SUFFIX = ".html"
_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("runs", metavar="RUN... [OUT.html]", nargs=-1, required=True, type=_FILE)
@click.option(
    "--baseline",
    "baselines",
    metavar="RUN",
    multiple=True,
    type=_FILE,
    help="Compare with this run. Can be given several times, for the seeds of RUN.",
)
@click.option(
    "--out", type=_FILE, help="The page to write, in place of OUT.html.  [default: report.html in the current folder]"
)
@click.option(
    "--data",
    metavar="DATA_BIN",
    help="The data folder: runs without a results.json are scored, and every row is looked at.",
)
@click.option(
    "--split", type=SPLIT, help="With --data: which split (default: the one that results.json scores, else valid)."
)
@click.option(
    "--rows", type=click.IntRange(1, 100), default=5, show_default=True, help="With --data: rows of a corpus to tell."
)
@click.option(
    "--check",
    "checked",
    metavar="FILE",
    type=_FILE,
    help="What `check --json` wrote of the corpora (default: check.json of RUN, else the raw files are checked).",
)
@click.option(
    "--analysis",
    "analyses",
    metavar="FILE",
    multiple=True,
    type=_FILE,
    help="What `analyse … --json` wrote, beside what lies in RUN. Can be given several times.",
)
@click.option("--device", default="cpu", show_default=True, help="With --data: where to run, in torch's words.")
def report(
    runs: Sequence[Path],
    baselines: Sequence[Path],
    out: Path | None,
    data: str | None,
    split: str | None,
    rows: int,
    checked: Path | None,
    analyses: Sequence[Path],
    device: str,
) -> None:
    """Write one HTML page, which needs no other file and no network, of a training run.

    RUN is the folder that --save-dir named, a checkpoint in it, or a results.json alone. Several are runs of the same
    model with other seeds: scores are their means, and details are of the first.
    """
    from skill_plugin.errors import shown
    from skill_plugin.files.distinct_files import check_distinct
    from skill_plugin.files.whole_file import check_output
    from skill_plugin.report.description import describe_bundle
    from skill_plugin.report.page.checked_data import CHECKED, read_checked
    from skill_plugin.report.page.make_page import make_page
    from skill_plugin.report.page.page_data import PageData
    from skill_plugin.report.page.reported_run import ReportedRun
    from skill_plugin.report.run_folder import pair_seeds

    given = click.get_current_context().get_parameter_source
    for name in ("split", "rows", "device"):
        if data is None and given(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} goes with --data")
    runs, out = _page_of(runs, out)
    ours, theirs = ([ReportedRun.read(path) for path in paths] for paths in (runs, baselines))
    check_distinct((run.source for run in (*ours, *theirs)), "each run counts once, and none is its own baseline")
    if places := pair_seeds(*([run.folder.resolve() for run in group] for group in (ours, theirs))):
        theirs = [theirs[place] for place in places]
    read = [file for run in (*ours, *theirs) for file in run.folder.iterdir() if file.suffix != PAGE_SUFFIX]
    check_output(out, checked, *analyses, *read)
    inspections = None
    if data is not None:
        split = split or next((run.results.split for run in (*ours, *theirs) if run.results is not None), "valid")
        ours[0], inspections = _inspected(ours[0], data, split, rows, device)
        ours, theirs = ([_scored(run, data, split, device) for run in group] for group in (ours, theirs))
    own = ours[0].folder / CHECKED
    checked = checked or (own if own.is_file() else None)
    found, why_not = _check(ours[0]) if checked is None else (read_checked(checked), "")
    model = ours[0].model
    page = PageData(
        runs=ours,
        baselines=theirs,
        inspections=inspections,
        checked=found,
        checked_file=checked,
        unchecked=why_not,
        description=None if model is None else describe_bundle(model.bundle),
        analyses=_analyses(ours[0].folder, analyses),
        command=["skill-plugin", *sys.argv[1:]],
    )
    replaced = ", in place of an earlier one" if out.is_file() else ""
    make_page(page, out)
    click.echo(shown(f"wrote {out.absolute()}{replaced}"))


def _page_of(runs: Sequence[Path], out: Path | None) -> tuple[Sequence[Path], Path]:
    """The runs, and the page to write, which may be named behind them."""
    if len(runs) < 2 or runs[-1].suffix != PAGE_SUFFIX:
        return runs, out or Path("report.html")
    if out is not None:
        raise click.UsageError(f"give either {runs[-1]} or --out, not both")
    return runs[:-1], runs[-1]


def _analyses(folder: Path, named: Sequence[Path]) -> list[AnalysisFile]:
    """Those of a run's folder, and those that were named; a file that is both once."""
    from skill_plugin.report.page.analysis_file import AnalysisFile

    found = {one.file.resolve(): one for one in AnalysisFile.beside(folder)}
    return [*(found | {path.resolve(): AnalysisFile.read(path) for path in named}).values()]


def _inspected(
    run: ReportedRun, data: str, split: str, rows: int, device: str
) -> tuple[ReportedRun, Inspections | None]:
    """The run with its scores, those of confusions too, and the rows that went most wrong: the data are read once."""
    from skill_plugin import api
    from skill_plugin.cli.progress import corpus_progress
    from skill_plugin.inference.inspect_rows import RowInspector, inspect_rows

    if run.checkpoint is None:
        return run, None
    results = _results(run, split)
    # an evaluate of an earlier version did not count confusions
    if results is not None and any(one.confusion for one in results.corpora.values()):
        with corpus_progress() as progress:
            return run, inspect_rows(api.load(str(run.checkpoint), device), data, split, rows, progress)
    inspector = RowInspector(rows)
    return _evaluated(run, data, split, device, inspector.look), inspector.found()


def _scored(run: ReportedRun, data: str, split: str, device: str) -> ReportedRun:
    """The run with its scores, where it has a model."""
    known = run.checkpoint is None or _results(run, split) is not None
    return run if known else _evaluated(run, data, split, device)


def _results(run: ReportedRun, split: str) -> Results | None:
    return run.results if run.results is not None and run.results.split == split else None


def _evaluated(run: ReportedRun, data: str, split: str, device: str, watch: Watch | None = None) -> ReportedRun:
    from skill_plugin import api
    from skill_plugin.cli.output import notes_console, say_left_out
    from skill_plugin.cli.progress import corpus_progress
    from skill_plugin.inference.evaluation import evaluate

    model = api.load(str(run.checkpoint), device)
    with corpus_progress() as progress:
        found = evaluate(model, data, split, progress=progress, allow_missing=True, watch=watch)
    say_left_out(notes_console(), found.left_out)
    return replace(run, results=found.results)


def _check(run: ReportedRun) -> tuple[Mapping[str, Any] | None, str]:
    from skill_plugin.report.page.checked_data import check_again

    if run.model is None:
        return None, "Without a checkpoint it is not known which corpora the run was trained on."
    return check_again(run.model.bundle)
