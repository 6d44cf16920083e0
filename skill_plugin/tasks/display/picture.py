"""A run's numbers as lines for a terminal of any size."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from skill_plugin.errors import counted
from skill_plugin.report.duration import show_duration
from skill_plugin.tasks.display.run_numbers import CorpusNumbers, RunNumbers

_AROUND = 6  # lines beside those of corpora, and one to spare
_MOST = 12  # corpora that are shown
_NAME = 28  # characters of a corpus's name
_BAR = 20  # columns


def make_picture(run: RunNumbers, height: int) -> RenderableType:
    """What is shown.

    Args:
        run: the numbers.
        height: lines of the terminal.
    """
    chosen = run.most_relevant(max(1, min(_MOST, height - _AROUND)))
    lines: list[RenderableType] = [_progress(run), _training(run), _validation(run), _table(run, chosen)]
    if left := len(run.corpora) - len(chosen):
        lines.append(Text(f"and {left} more; these have lost most since their best, or score lowest", style="dim"))
    return Group(*lines)


def _progress(run: RunNumbers) -> RenderableType:
    of = "" if run.last is None else f" of {run.last:,}"
    cells: list[RenderableType] = [Text(f"update {run.update:,}{of}, epoch {run.epoch}", style="bold", no_wrap=True)]
    if run.last:
        cells += [ProgressBar(run.last, run.update, width=_BAR), Text(f"{run.update / run.last:.0%}")]
    if run.seconds_left is not None:
        cells.append(Text(f"{show_duration(run.seconds_left)} left", no_wrap=True))
    line = Table.grid(padding=(0, 2, 0, 0))
    line.add_row(*cells)
    return line


def _training(run: RunNumbers) -> Text:
    said = [f"{name} {run.numbers[name]:.4g}" for name in ("loss", "lr") if name in run.numbers]
    if "ups" in run.numbers:
        said.append(f"{run.numbers['ups']:.3g} updates/s")
    return Text(", ".join(said) or "no line of numbers yet", no_wrap=True, overflow="ellipsis")


def _validation(run: RunNumbers) -> Text:
    said = ""
    if run.validated_after is not None:
        names = dict.fromkeys([run.chosen, "avg"])
        found = [f"{name} {run.validation[name]:.4f}" for name in names if name in run.validation]
        best = "" if run.best is None else f" (best {run.best:.4f})"
        said = f"valid after {counted(run.validated_after, 'update')}: {', '.join(found)}{best}"
    if run.at_work is not None:
        split, done, batches = run.at_work
        said = f"validating on {split}: {done:,} of {counted(batches, 'batch', 'batches')}"
    return Text(said or "not validated yet", no_wrap=True, overflow="ellipsis")


def _table(run: RunNumbers, chosen: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("corpus", no_wrap=True, max_width=_NAME, overflow="ellipsis")
    for name in ("share", "loss"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("score", no_wrap=True, overflow="ellipsis")
    for name in ("valid", "best"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in chosen:
        table.add_row(Text(name), *_cells(run.corpora[name]))
    return table


def _cells(corpus: CorpusNumbers) -> list[Text]:
    best = corpus.score is not None and corpus.score == corpus.best
    return [
        Text("" if corpus.share is None else f"{corpus.share:.1%}"),
        Text(_number(corpus.loss, "{:.3f}")),
        Text(corpus.metric),
        Text(_number(corpus.score, "{:.4f}"), style="bold" if best else ""),
        Text(_number(corpus.best, "{:.4f}")),
    ]


def _number(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)
