"""Which keys of a corpus say something for some formats or kinds only."""

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

_NAMED = ("classification", "multilabel", "labelling", "word_in_context")
OPTIONS_OF_KINDS = {
    "labels": _NAMED,
    "label_map": (*_NAMED, "ranking"),
    "drop_labels": (*_NAMED, "ranking", "regression"),
    "placeholders": (*_NAMED, "ranking", "regression"),
    "positive_label": ("classification", "word_in_context"),
    "score_range": ("regression",),
    "score_scale": ("regression",),
    "scheme": ("labelling",),
    "lenient": ("labelling",),
    "join": ("labelling", "masked_lm", "next_sentence"),
    "label_separator": ("multilabel",),
    "word_separator": ("labelling",),
    "pattern": ("labelling", "masked_lm", "next_sentence"),
    "offsets": ("word_in_context",),
    "loss": ("ranking",),
    "grades": ("ranking",),
    "ranked_by": ("ranking",),
    "without_positive": ("ranking",),
    "stride": ("labelling", "span", "masked_lm"),
    "max_question": ("span",),
    "max_answer": ("span",),
    "no_answer_threshold": ("span",),
}
