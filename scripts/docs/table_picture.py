"""Makes the picture of the first page: the table that `skill-plugin evaluate` prints of a run of the quickstart.

    python scripts/docs/table_picture.py [quickstart] [docs/images/table.svg]

The picture names no fonts of others, and its dark ground is readable on light and dark pages.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
WIDTH = 92  # columns: the table of the quickstart's four languages


def evaluated(folder: Path) -> Text:
    """The last table on the screen after ``skill-plugin evaluate``."""
    command = ["skill-plugin", "evaluate", folder / "checkpoints" / "checkpoint_best.pt", folder / "data-bin"]
    terminal = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    shown = subprocess.run(command, env=terminal, check=True, stdout=subprocess.PIPE, text=True).stdout
    return Text.from_ansi(re.split(r"\n\s*\n", shown.strip("\n"))[-1])


def picture(shown: Text) -> str:
    """A terminal that shows it, as SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)
    console.print(shown)
    svg = console.export_svg(title="skill-plugin evaluate", unique_id="table")
    svg = re.sub(r"\s*@font-face \{.*?\}\n", "\n", svg, flags=re.DOTALL)  # which are loaded from the network
    return svg.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quickstart", type=Path, nargs="?", default=ROOT / "quickstart")
    parser.add_argument("svg", type=Path, nargs="?", default=ROOT / "docs" / "images" / "table.svg")
    chosen = parser.parse_args()
    chosen.svg.write_text(picture(evaluated(chosen.quickstart)), encoding="utf-8")


if __name__ == "__main__":
    main()
