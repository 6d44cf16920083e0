"""The report of a check for people: one line for each split, within 120 columns, then skipped rows and notices."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import accumulate, takewhile

from rich.console import Console
from rich.table import Table
from rich.text import Text

from skill_plugin.checking.lengths import Histogram, LengthSummary
from skill_plugin.checking.report import CheckReport, SplitReport
from skill_plugin.errors import shown
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers import Fault
from skill_plugin.report.fit import print_table
from skill_plugin.report.row_count import show_rows
from skill_plugin.store.token_counts import TokenCounts

WIDTH = 120
_CONTENTS = 24  # the fewest columns for what a split holds
_HOLDS = "holds"
_BARS = " ▁▂▃▄▅▆▇█"
_MOST_LABELS = 12  # rows of the table of labels by language
_MOST_SPLITS = 8  # columns of it
_MOST_OF_TARGET = 40  # characters
_MUCH = 0.01  # a share of unknown pieces from here on is coloured
_Cell = str | Text


def print_report(report: CheckReport, console: Console) -> None:
    """Prints tables, rows left out and notices. The caller writes faults to standard error."""
    print_table(console, _splits(report, console), lead=3)
    for head, languages in report.label_table().items():
        if len(languages) > 1:
            console.print()
            print_table(console, _labels(head, languages))
    if any(language.pieces is not None for language in report.languages().values()):
        console.print()
        print_table(console, _languages(report))
    print_text_forms(report, console)
    _print_skipped(report, console)
    print_notices(report, console)


def fit_items(lead: str, items: Sequence[str], what: str, width: int) -> str:
    """Lists as many of the items as fit, and how many there are if those are not all.

    >>> fit_items("9 words", ["a 1", "b 2", "c 3"], "types", 40), fit_items("", ["a 1", "b 2", "c 3"], "labels", 12)
    ('9 words: a 1, b 2, c 3', 'a 1, … of 3')
    >>> fit_items("9 words", ["a 1", "b 2", "c 3"], "types", 5)
    '9 words, 3 types'
    """
    before = f"{lead}: " if lead else ""
    everything = before + ", ".join(items)
    if len(everything) <= width:
        return everything
    lengths = accumulate((len(item) + 2 for item in items), initial=len(f"{before}… of {len(items)}"))
    shown = sum(1 for _ in takewhile(lambda length: length <= width, lengths)) - 1
    if shown > 0:
        return f"{before}{', '.join(items[:shown])}, … of {len(items)}"
    return f"{lead}, {len(items)} {what}" if lead else f"{len(items)} {what}"


def draw_sparkline(histogram: Histogram, edges: Sequence[int]) -> str:
    """Draws a bar for each bin between ``edges``: a part of the histogram's own edges, or more beyond its last one.

    A bin that holds anything has a bar; the highest one has the full height.

    >>> draw_sparkline(Histogram((0, 8, 16, 32), (1, 100, 50)), (8, 16, 32, 64))
    '█▄ '
    """
    counts = dict(zip(histogram.edges, histogram.counts, strict=False))
    highest = max(histogram.counts, default=0)
    return "".join(_BARS[-(-8 * counts.get(edge, 0) // highest) if highest else 0] for edge in edges[:-1])


def _splits(report: CheckReport, console: Console) -> Table:
    found = [(name, split, one) for name, splits in report.corpora.items() for split, one in splits.items()]
    with_tokens = any(one.tokens is not None for _, _, one in found)
    edges = _edges([lengths for _, _, one in found if (lengths := _shown_lengths(one, with_tokens)) is not None])
    empty = _filled(found, edges, with_tokens, 0)
    others = console.measure(empty, options=console.options.update(width=10 * WIDTH)).maximum
    room = max(_CONTENTS, min(console.width, WIDTH) - others + len(_HOLDS))
    return _filled(found, edges, with_tokens, room)


def _filled(found: Sequence[tuple[str, str, SplitReport]], edges: Sequence[int], with_tokens: bool, room: int) -> Table:
    """The table, with so many columns for what a split holds; with 0 it is left out."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("corpus", no_wrap=True, style="bold")
    table.add_column("lang", no_wrap=True)
    table.add_column("split", no_wrap=True)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("skipped", justify="right", no_wrap=True)
    table.add_column(_HOLDS)
    unit = "tokens" if with_tokens else "characters"
    table.add_column(f"{unit}\nmedian·95%·max", justify="right", no_wrap=True)
    table.add_column(f"{edges[0]}…{edges[-1]}", no_wrap=True, style="cyan", min_width=len(edges) - 1)
    if with_tokens:
        table.add_column("beyond\nmaximum", justify="right", no_wrap=True)
        table.add_column("unknown\npieces", justify="right", no_wrap=True)
    last = ""
    for name, split, one in found:
        counts, more = _cells(one, edges, with_tokens)
        first = ["", ""] if name == last else [name, one.language]
        table.add_row(*map(_text, [*first, split, *counts, _holds(one, room) if room else "", *more]))
        last = name
    return table


def _cells(one: SplitReport, edges: Sequence[int], with_tokens: bool) -> tuple[list[_Cell], list[_Cell]]:
    """The cells before and after the column of what a split holds."""
    skipped = one.skipped.total()
    counts: list[_Cell] = [show_rows(one.rows, one.trained), Text(f"{skipped:,}", "yellow" if skipped else "")]
    lengths = _shown_lengths(one, with_tokens)
    more: list[_Cell] = ["", ""]
    if lengths is not None:
        shown = f"{lengths.median}·{lengths.p95}·{lengths.maximum}"
        more = [shown, draw_sparkline(lengths.histogram, edges)]
    if with_tokens:
        found = None if one.tokens is None else one.tokens.counts
        more += ["", ""] if found is None else [_beyond(one.kind, found), _unknown(found.unknown_pieces)]
    return counts, more


def _text(cell: _Cell) -> Text:
    return cell if isinstance(cell, Text) else Text(cell)


def _shown_lengths(one: SplitReport, with_tokens: bool) -> LengthSummary | None:
    if with_tokens:
        return None if one.tokens is None else one.tokens.lengths
    return one.characters


def _edges(lengths: Sequence[LengthSummary]) -> tuple[int, ...]:
    """The bins that all sparklines share: from the first to the last that any of them needs."""
    longest = max((length.histogram.edges for length in lengths), key=len, default=(0, 8))
    empty = [
        next((i for i, count in enumerate(length.histogram.counts) if count), len(longest) - 2) for length in lengths
    ]
    return longest[min(empty, default=0) :]


def _beyond(kind: str, tokens: TokenCounts) -> Text:
    windowed = kind_named(kind).sequence_rule.windowed
    share, what = (tokens.windowed, "windows") if windowed else (tokens.truncated, "cut")
    return Text(
        f"{share:.{0 if share >= 0.1 else 1}%} {what}" if share else "0",
        "" if what == "windows" or not share else "yellow",
    )


def _unknown(share: float) -> Text:
    return Text(f"{share:.2%}", "yellow" if share >= _MUCH else "")


def _holds(one: SplitReport, width: int) -> str:
    """What the rows of a split hold, in so many columns."""
    lead = "" if one.contents is None else one.contents.summary()
    names, what = (one.labels, "labels") if one.contents is None else one.contents.named(one.labels)
    items = [f"{name} {count:,}" for name, count in names.items()]
    return fit_items(lead, items, what, width) if items else lead or ("no answers" if one.rows else "")


def _labels(head: str, languages: Mapping[str, Mapping[str, Mapping[str, int]]]) -> Table:
    """The labels of a head that serves several languages."""
    columns = [(name, split, counts) for name, splits in languages.items() for split, counts in splits.items()]
    labels = list(dict.fromkeys(label for _, _, counts in columns for label in counts))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(f"labels of\n{head}")
    for name, split, _ in columns[:_MOST_SPLITS]:
        table.add_column(f"{name}\n{split}", justify="right")
    if len(columns) > _MOST_SPLITS:
        table.add_column("…")
    for label in labels[:_MOST_LABELS]:
        table.add_row(*map(Text, [label, *(f"{counts.get(label, 0):,}" for _, _, counts in columns[:_MOST_SPLITS])]))
    if len(labels) > _MOST_LABELS:
        table.add_row(Text(f"… {len(labels)} labels"))
    return table


def _languages(report: CheckReport) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("language")
    for heading in ("corpora", "rows", "pieces", "unknown"):
        table.add_column(heading, justify="right")
    for name, found in report.languages().items():
        pieces = "" if found.pieces is None else f"{found.pieces:,}"
        unknown = Text("") if found.unknown_pieces is None else _unknown(found.unknown_pieces)
        table.add_row(Text(name), str(len(found.corpora)), f"{found.rows.total():,}", pieces, unknown)
    return table


def _print_skipped(report: CheckReport, console: Console) -> None:
    lines = [
        f"  {name} {split}: {count:,} ({reason})"
        for name, splits in report.corpora.items()
        for split, found in splits.items()
        for reason, count in found.skipped.items()
    ]
    _print_lines("skipped rows", lines, console)


def print_text_forms(report: CheckReport, console: Console) -> None:
    """Prints what a text-to-text model reads and writes for each corpus."""
    lines = []
    for name, form in report.text_to_text.items():
        lead = f"  {name} reads '{shown(form.source)}', writes"
        targets = [repr(f"{one[:_MOST_OF_TARGET]}…" if len(one) > _MOST_OF_TARGET else one) for one in form.targets]
        lines.append(fit_items(lead, targets, "texts", WIDTH) if targets else f"{lead} spans of the text")
    _print_lines("text to text", lines, console)


def print_notices(report: CheckReport, console: Console) -> None:
    """Prints what a person may want to know of each corpus."""
    for name in dict.fromkeys(notice.corpus for notice in report.notices):
        lines = []
        for notice in report.notices:
            if notice.corpus != name:
                continue
            split = f"{notice.split}: " if notice.split else ""
            lines.append(f"  {_place(notice.fault)}: {split}{notice.fault.message}")
        _print_lines(f"notices of {name}", lines, console)


def _print_lines(heading: str, lines: Sequence[str], console: Console) -> None:
    if lines:
        console.print()
        console.print(Text(heading, "bold"))
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def _place(fault: Fault) -> str:
    """``file:line``, the file as seen from the current folder where that is shorter."""
    seen = os.path.relpath(fault.file) if os.path.isabs(fault.file) else fault.file
    file = min(fault.file, seen, key=len)
    return file if fault.line is None else f"{file}:{fault.line}"
