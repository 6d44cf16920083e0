"""The generator of the reference, and what it made."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))  # as scripts/docs/hook.py does for mkdocs

from reference import PAGES  # noqa: E402

Rows = Callable[[str, str], dict[str, list[str]]]


@pytest.fixture(scope="session")
def reference() -> dict[str, str]:
    """Page of the reference -> its Markdown."""
    return {Path(page).stem: make() for page, make in PAGES.items()}


@pytest.fixture(scope="session")
def rows(reference: dict[str, str]) -> Rows:
    """rows("keys", "Kinds"): the tables of a section of a page, as first cell -> the other cells."""

    def run(page: str, section: str) -> dict[str, list[str]]:
        text = re.split(rf"^#+ {re.escape(section)}$", reference[page], flags=re.MULTILINE)[1]
        lines = re.split(r"^#+ ", text, flags=re.MULTILINE)[0].splitlines()
        cells = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines if line.startswith("| ")]
        return {first.strip("`"): [cell.strip() for cell in rest] for first, *rest in cells[2:]}

    return run
