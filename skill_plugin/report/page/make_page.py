"""Writes the page."""

from __future__ import annotations

from pathlib import Path

from skill_plugin.errors import counted
from skill_plugin.files.whole_file import write_text
from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.render import render
from skill_plugin.report.page.sections import SECTIONS


def make_page(data: PageData, path: Path) -> None:
    """Writes the page, whole or not at all.

    Raises:
        InputError: it cannot be written.
    """
    sections = [make(data) for make in SECTIONS]
    write_text(path, render(_title(data), _subtitle(data), sections))


def _title(data: PageData) -> str:
    others = len(data.runs) - 1
    return data.main.name if not others else f"{data.main.name} and {counted(others, 'other')}"


def _subtitle(data: PageData) -> str:
    model = data.main.model
    parts = [] if model is None else [model.bundle.variant, counted(len(model.bundle.labels), "corpus", "corpora")]
    if data.split:
        parts.append(f"scored on {data.split}")
    if data.baselines:
        parts.append(f"baseline {', '.join(dict.fromkeys(one.name for one in data.baselines))}")
    return " · ".join(parts)
