"""Five tables as somebody may have them: a TSV file a data set, with columns of its own names, and no corpora file."""

from __future__ import annotations

import random
from pathlib import Path

from raw_formats import WRITERS
from recipes import RECIPES

_PAIR = {"premise": "sentence 1", "hypothesis": "sentence 2", "label": "verdict"}
_REVIEW = {"text": "comment", "label": "opinion"}
TABLES = {
    "comments-en.tsv": ("reviews", "en", _REVIEW),
    "kommentare-de.tsv": ("reviews", "de", {"text": "Kommentar", "label": "Meinung"}),
    "follows-en.tsv": ("nli", "en", _PAIR),
    "follows-de.tsv": ("nli", "de", _PAIR),
    "alike-en.tsv": ("similarity", "en", {"first": "one", "second": "other", "score": "rating"}),
}


def write_own_tables(folder: Path, rows: int, seed: int) -> None:
    """Writes them, of so many rows each; nothing says which of the rows are for validation."""
    for file, (name, language, columns) in TABLES.items():
        rng = random.Random(f"{seed} {file}")
        items = [RECIPES[name].item(language, rng) for _ in range(rows)]
        renamed = [{new: item[column] for column, new in columns.items()} for item in items]
        WRITERS["tsv"](folder / file, renamed)
