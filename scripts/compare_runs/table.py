"""A comparison as a table: for a terminal, as Markdown, as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from skill_plugin.files.json_file import write_json
from skill_plugin.files.whole_file import whole_file
from skill_plugin.report.spread import Spread

from .comparison import Comparison

PIPE_WIDTH = 200  # columns, where there is no terminal to ask
ABSENT = "–"


def split_names(text: str) -> list[str]:
    """``a,b`` as a list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def show(spread: Spread, metric: str = "") -> str:
    """Mean and deviation in percent, a perplexity as it is."""
    scale = 1 if metric == "perplexity" else 100
    deviation = "" if spread.deviation is None else f" ± {scale * spread.deviation:.1f}"
    return f"{scale * spread.mean:.1f}{deviation}"


def make_caption(comparison: Comparison) -> str:
    """What the numbers are."""
    rows = comparison.rows
    counts = {row.runs for row in rows}
    words = [f"{comparison.split}, in percent"]
    if counts != {1}:
        runs = f"{counts.pop()} runs" if len(counts) == 1 else ", ".join(f"{r.runs} of {r.name}" for r in rows)
        words.append(f"mean ± standard deviation of {runs}")
    words += [f"{language}: mean over {', '.join(corpora)}" for language, corpora in comparison.languages.items()]
    if comparison.small:
        words.append(f"small: mean over {', '.join(comparison.small)}")
    if comparison.common and len(comparison.common) < len(comparison.metrics):
        words.append(f"all: mean over {', '.join(comparison.common)}")
    words += [f"{' and '.join(corpora)} count once, as {group}" for group, corpora in comparison.groups.items()]
    return "; ".join(words)


def make_cells(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """The header, and the rows beneath it."""
    by_corpus = [f"{corpus} ({metric})" for corpus, metric in comparison.metrics.items()]
    header = ["", *(comparison.languages or by_corpus)]
    header += ["small"] * bool(comparison.small) + ["all"] * bool(comparison.common)
    lines = []
    for row in comparison.rows:
        line = [row.name, *map(show, row.languages.values())]
        for corpus, metric in () if comparison.languages else comparison.metrics.items():
            line.append(show(row.corpora[corpus], metric) if corpus in row.corpora else ABSENT)
        lines.append(line + [show(mean) for mean in (row.small, row.all) if mean])
    return header, lines


def make_table(comparison: Comparison, title: str = "") -> Table:
    """The table for a terminal."""
    header, lines = make_cells(comparison)
    table = Table(
        title=Text(title) if title else None,
        caption=Text(make_caption(comparison)),
        title_justify="left",
        caption_justify="left",
    )
    for number, column in enumerate(header):
        table.add_column(Text(column.replace(" (", "\n(")), justify="right" if number else "left")
    for line in lines:
        table.add_row(*map(Text, line))
    return table


def to_markdown(comparison: Comparison, title: str = "") -> str:
    """The table for a README."""
    header, lines = make_cells(comparison)
    text = f"**{title}**\n\n" if title else ""
    for line in (header, ["---", *["---:"] * (len(header) - 1)], *lines):
        text += f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n"
    words = make_caption(comparison)
    return f"{text}\n{words[0].upper()}{words[1:]}.\n"


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Plain values, not in percent."""

    def plain(spread: Spread) -> dict[str, Any]:
        return {"mean": spread.mean, "deviation": spread.deviation, "values": list(spread.values)}

    rows = {
        row.name: {
            "runs": row.runs,
            "corpora": {corpus: plain(spread) for corpus, spread in row.corpora.items()},
            "languages": {language: plain(spread) for language, spread in row.languages.items()},
            "small": row.small and plain(row.small),
            "all": row.all and plain(row.all),
        }
        for row in comparison.rows
    }
    languages = {language: list(corpora) for language, corpora in comparison.languages.items()}
    means: dict[str, Any] = {
        "languages": languages, "small": list(comparison.small), "all": list(comparison.common)
    }  # fmt: skip
    if comparison.groups:
        means["groups"] = {group: list(corpora) for group, corpora in comparison.groups.items()}
    return {"split": comparison.split, "metrics": dict(comparison.metrics), **means, "rows": rows}


def write(comparison: Comparison, title: str, markdown_file: Path | None, json_file: Path | None, **more: Any) -> None:
    """Prints the table, and writes it to files.

    Args:
        comparison: what to show.
        title: above the table.
        markdown_file, json_file: where to write it too.
        more: further entries of the JSON.
    """
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPE_WIDTH)
    console.print(make_table(comparison, title))
    if markdown_file is not None:
        with whole_file(markdown_file) as beside:
            beside.write_text(to_markdown(comparison, title), encoding="utf-8")
    if json_file is not None:
        write_json(json_file, {"title": title, **more, **to_json(comparison)})
