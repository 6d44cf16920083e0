"""Planned and actual shares of the corpora, as lines of text for a log and a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from skill_plugin.sampling.shares import CorpusShare

_HEAD = ("corpus", "planned", "share", "batches", "examples", "passes")


def share_lines(shares: Mapping[str, CorpusShare]) -> list[str]:
    """A line a corpus below a heading; shares in percent."""
    rows = [_HEAD] + [
        (
            name,
            f"{100 * one.planned_share:.2f}%",
            f"{100 * one.share:.2f}%",
            f"{one.batches:,}",
            f"{one.examples:,}",
            f"{one.passes:.2f}",
        )
        for name, one in shares.items()
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
