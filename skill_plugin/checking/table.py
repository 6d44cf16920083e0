"""The report of a check for people: one line a split."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from skill_plugin.checking.report import CheckReport, Lengths, SplitReport

MOST_LABELS = 6


def print_report(report: CheckReport, console: Console) -> None:
    """Prints the table, then the notices. Faults go to standard error, by the caller."""
    with_tokens = any(split.tokens is not None for splits in report.corpora.values() for split in splits.values())
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("corpus", "language", "split"):
        table.add_column(heading, no_wrap=True)
    for heading in ("rows", "skipped"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("labels")
    table.add_column("characters\nmedian·95%·max", justify="right")
    if with_tokens:
        for heading in ("tokens\nmedian·95%·max", "truncated", "unknown\npieces"):
            table.add_column(heading, justify="right")
    for name, splits in report.corpora.items():
        for number, (split, found) in enumerate(splits.items()):
            first = [name, found.language] if number == 0 else ["", ""]
            table.add_row(*map(Text, [*first, split, *_cells(found, with_tokens)]))
    console.print(table)
    _print_skipped(report, console)
    for notice in report.notices:
        console.print(Text(f"notice: {notice}"), soft_wrap=True)


def _print_skipped(report: CheckReport, console: Console) -> None:
    for name, splits in report.corpora.items():
        for split, found in splits.items():
            if found.skipped:
                reasons = ", ".join(f"{count} ({reason})" for reason, count in found.skipped.items())
                console.print(Text(f"skipped: corpus {name!r}: {split}: {reasons}"), soft_wrap=True)


def _cells(found: SplitReport, with_tokens: bool) -> list[str]:
    labels = [f"{label} {count:,}" for label, count in found.labels.items()]
    more = f", … {len(labels)} labels" if len(labels) > MOST_LABELS else ""
    shown = ", ".join(labels[:MOST_LABELS]) + more or "unknown"
    cells = [f"{found.rows:,}", f"{found.skipped.total():,}", shown, _lengths(found.characters)]
    if with_tokens and found.tokens is not None:
        tokens = found.tokens
        cells += [_lengths(tokens.lengths), f"{tokens.truncated:.1%}", f"{tokens.unknown_pieces:.2%}"]
    return cells


def _lengths(lengths: Lengths | None) -> str:
    return "" if lengths is None else f"{lengths.median}·{lengths.p95}·{lengths.maximum}"
