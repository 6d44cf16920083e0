"""A comparison as a table: for a terminal, as Markdown, as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from skill_plugin.errors import counted
from skill_plugin.files.json_file import write_json
from skill_plugin.files.whole_file import write_text
from skill_plugin.metrics.aggregates import group_units
from skill_plugin.report.comparison.comparison import DATA, DEVIATION, Comparison, Row
from skill_plugin.report.comparison.paired import Difference
from skill_plugin.report.comparison.published import Published
from skill_plugin.report.fit import PIPE_WIDTH, UNLIMITED
from skill_plugin.report.markdown_table import markdown_table
from skill_plugin.report.score_text import score_text
from skill_plugin.report.spread import Spread

ABSENT = "–"


def show(spread: Spread, metric: str = "") -> str:
    """Mean and deviation in percent, a cost as it is."""
    deviation = None if spread.deviation is None else score_text(spread.deviation, metric, like=spread.mean)
    return score_text(spread.mean, metric) + ("" if deviation is None else f" ± {deviation}")


def show_difference(difference: Difference) -> str:
    """In points of a percent; of a single run without an interval, which would be of corpora alone."""
    mean, low, high = (show_points(100 * value) for value in (difference.mean, difference.low, difference.high))
    if difference.p is None:
        return mean
    return f"{mean} [{low}, {high}] p {'<0.001' if difference.p < 0.001 else f'{difference.p:.2g}'}"


def show_points(points: float) -> str:
    """With its sign."""
    return f"{points:+.1f}".replace("-", "−")


def make_caption(comparison: Comparison, published: Published | None) -> str:
    """What the numbers are."""
    rows = comparison.rows
    counts = {row.runs for row in rows}
    words = [f"{comparison.split}, in percent"]
    if counts != {1}:
        runs = f"{counts.pop()} runs" if len(counts) == 1 else ", ".join(f"{r.runs} of {r.name}" for r in rows)
        words.append(f"mean ± standard deviation of {runs}")
    words += [f"{column}: mean over {', '.join(corpora)}" for column, corpora in comparison.together.items()]
    if comparison.small:
        words.append(f"small: mean over {', '.join(comparison.small)}")
    if comparison.common and len(comparison.common) < len(comparison.metrics):
        words.append(f"all: mean over {', '.join(comparison.common)}")
    words += [f"{' and '.join(corpora)} count once, as {group}" for group, corpora in comparison.groups.items()]
    if comparison.entries:
        several = [f"{c} by {' and '.join(metrics)}" for c, metrics in comparison.entries.items() if len(metrics) > 1]
        words.append(f"{DEVIATION}: standard deviation over entries{': ' * bool(several)}{', '.join(several)}")
    if any(DATA in row.further for row in rows):
        words.append(f"{DATA}: training examples that were trained on at least once")
    written = [f"{row.unreadable:,.0f} of {row.name}" for row in rows if row.unreadable is not None]
    if written:
        words.append(f"texts that are no answer and count as wrong, of a run: {', '.join(written)}")
    if comparison.baseline:
        words.append(_baseline_words(comparison))
    if any(_is_part(row, comparison) for row in rows):
        words.append("in brackets: how many runs and corpora a value is of where it is not of all")
    if published is not None:
        words.append(f"published: {published.source}, on its own data and encoder")
    return "; ".join(words)


def _baseline_words(comparison: Comparison) -> str:
    """What a difference is of."""
    if all(found.p is None for row in comparison.rows for found in row.differences.values()):
        return f"− {comparison.baseline}: paired by seed, of single runs"
    of_what = "corpora, of task σ over runs and entries" if comparison.entries else "corpora"
    interval = f"the 95 % bootstrap interval over runs and {of_what}, and p of Student's t-test over runs"
    return f"− {comparison.baseline}: paired by seed, with {interval}"


def _is_part(row: Row, comparison: Comparison) -> bool:
    """Whether a value of a row is of some of its runs or corpora only."""
    shown = [*row.corpora.values(), *row.together.values(), *(mean for mean in (row.small, row.all) if mean)]
    return any(len(spread.values) < row.runs for spread in shown) or any(
        _show_part(difference, column, comparison) for column, difference in row.differences.items()
    )


def _show_part(difference: Difference, column: str, comparison: Comparison) -> str:
    """Of how many runs and corpora it is, where that is not all."""
    corpora = {"small": comparison.small, "all": comparison.common}.get(column)
    words = []
    if corpora is not None and difference.corpora < len(group_units(corpora, comparison.groups)):
        words.append(counted(difference.corpora, "corpus", "corpora"))
    if difference.runs < max(row.runs for row in comparison.rows):
        words.append(counted(difference.runs, "run"))
    return f" ({', '.join(words)})" if words else ""


def make_cells(comparison: Comparison, published: Published | None) -> tuple[list[str], list[list[str]]]:
    """The header, and the rows beneath it, each with what is published of it below."""
    by_corpus = [f"{corpus} ({metric})" for corpus, metric in comparison.metrics.items()]
    means = ["small"] * bool(comparison.small) + ["all"] * bool(comparison.common)
    further = list(dict.fromkeys(name for row in comparison.rows for name in row.further))
    compared = [*means, *[DEVIATION] * (DEVIATION in further)] if comparison.baseline else []
    header = ["", *(comparison.together or by_corpus), *means, *further]
    header += [f"{column} − {comparison.baseline}" for column in compared]
    columns = [*(comparison.together or comparison.metrics), *means, *further]
    lines = []
    for row in comparison.rows:
        differences = [_difference_cell(row, column, comparison) for column in compared]
        lines.append([row.name, *_row_cells(row, comparison, means, further), *differences])
        if said := _said(published, row.name, comparison.by, columns):
            base = _said(published, comparison.baseline, comparison.by, columns)
            is_base = row.name == comparison.baseline
            cells = [f"{said[name]:g}" if name in said else ABSENT for name in columns]
            differences = [_published_difference(said, base, column, is_base) for column in compared]
            lines.append([f"{row.name}: published", *cells, *differences])
    return header, lines


def _row_cells(row: Row, comparison: Comparison, means: Sequence[str], further: Sequence[str]) -> list[str]:
    """The cells of a row up to its differences."""
    if comparison.together:
        cells = [_cell(row.together.get(column), row.runs) for column in comparison.together]
    else:
        cells = [_cell(row.corpora.get(corpus), row.runs, metric) for corpus, metric in comparison.metrics.items()]
    cells += [_cell({"small": row.small, "all": row.all}[mean], row.runs) for mean in means]
    return cells + [_cell(row.further.get(name), row.runs) for name in further]


def _cell(spread: Spread | None, runs: int, metric: str = "") -> str:
    """A spread, with its number of runs where that is not all of them."""
    if spread is None:
        return ABSENT
    number = len(spread.values)
    return show(spread, metric) + (f" ({counted(number, 'run')})" if number < runs else "")


def _difference_cell(row: Row, column: str, comparison: Comparison) -> str:
    found = row.differences.get(column)
    return "" if found is None else show_difference(found) + _show_part(found, column, comparison)


def _said(published: Published | None, row: str, by: str, columns: Sequence[str]) -> Mapping[str, float]:
    """What is published of a row; its means only where the table has all that they are of."""
    said = {} if published is None else published.rows(by).get(row, {})
    whole = said.keys() - {"small", "all"} <= {*columns, DEVIATION, DATA}
    return said if whole else {name: value for name, value in said.items() if name not in ("small", "all")}


def _published_difference(said: Mapping[str, float], base: Mapping[str, float], column: str, is_base: bool) -> str:
    if is_base or column not in said or column not in base:
        return ""
    return show_points(said[column] - base[column])


def make_table(
    comparison: Comparison, title: str = "", published: Published | None = None, turned: bool = False
) -> Table:
    """The table for a terminal; ``turned``: with a column for each model."""
    header, lines = make_cells(comparison, published)
    table = Table(
        title=Text(title) if title else None,
        caption=Text(make_caption(comparison, published)),
        title_justify="left",
        caption_justify="left",
    )
    if turned:
        header, *lines = map(list, zip(header, *lines, strict=True))
    for number, column in enumerate(header):
        heading = Text(column if turned else column.replace(" (", "\n("))
        # cut where there is no room, numbers would be others
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    for line in lines:
        table.add_row(*map(Text, line))
    return table


def fit_table(console: Console, comparison: Comparison, title: str = "", published: Published | None = None) -> Table:
    """The table as it is or turned, whichever fits onto the console, or comes nearer to it."""
    tables = [make_table(comparison, title, published, turned) for turned in (False, True)]
    options = console.options.update(width=UNLIMITED)
    widths = [Measurement.get(console, options, table).maximum for table in tables]
    return tables[0] if widths[0] <= max(console.width, widths[1]) else tables[1]


def to_markdown(comparison: Comparison, title: str = "", published: Published | None = None) -> str:
    """The table for a README."""
    header, lines = make_cells(comparison, published)
    words = make_caption(comparison, published)
    above = f"**{title}**\n\n" if title else ""
    return f"{above}{markdown_table(header, lines)}\n{words[0].upper()}{words[1:]}.\n"


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Plain values, not in percent."""

    def plain(spread: Spread) -> dict[str, Any]:
        return {"mean": spread.mean, "deviation": spread.deviation, "values": list(spread.values)}

    name = "tasks" if comparison.by == "task" else "languages"
    rows = {
        row.name: {
            "runs": row.runs,
            "corpora": {corpus: plain(spread) for corpus, spread in row.corpora.items()},
            name: {column: plain(spread) for column, spread in row.together.items()},
            "small": row.small and plain(row.small),
            "all": row.all and plain(row.all),
            **{column: plain(spread) for column, spread in row.further.items()},
            **({} if row.unreadable is None else {"unreadable": row.unreadable}),
            "differences": {column: asdict(each) for column, each in row.differences.items()},
        }
        for row in comparison.rows
    }
    together = {column: list(corpora) for column, corpora in comparison.together.items()}
    means: dict[str, Any] = {name: together, "small": list(comparison.small), "all": list(comparison.common)}
    if comparison.groups:
        means["groups"] = {group: list(corpora) for group, corpora in comparison.groups.items()}
    return {"split": comparison.split, "metrics": dict(comparison.metrics), **means, "rows": rows}


def write(
    comparison: Comparison,
    title: str,
    markdown_file: Path | None,
    json_file: Path | None,
    published: Published | None = None,
    quiet: bool = False,
    **more: Any,
) -> None:
    """Prints the table, and writes it to files.

    Args:
        comparison: what to show.
        title: above the table.
        markdown_file, json_file: where to write it too.
        published: what is published of the rows, to be shown below each.
        quiet: write it only.
        more: further entries of the JSON.
    """
    if not quiet:
        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=PIPE_WIDTH)
        console.print(fit_table(console, comparison, title, published))
    if markdown_file is not None:
        write_text(markdown_file, to_markdown(comparison, title, published))
    if json_file is not None:
        said = {} if published is None else {"published": published.to_json()}
        write_json(json_file, {"title": title, **more, **to_json(comparison), **said})
