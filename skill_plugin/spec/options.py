"""Which keys of a corpus say something for some formats only."""

from __future__ import annotations

OPTIONS_OF_FORMATS = {
    "header": ("tsv", "csv"),
    "quoting": ("tsv", "csv"),
    "separator": ("tsv", "csv", "conll"),
    "quote": ("tsv", "csv"),
    "escape": ("tsv", "csv"),
    "extra_cells": ("tsv", "csv", "conll"),
    "missing_cells": ("tsv", "csv"),
    "max_cells": ("tsv", "csv", "conll"),
    "rows": ("json",),
    "each": ("jsonl", "json"),
    "where": ("tsv", "csv", "jsonl", "json", "lines", "squad"),
}
