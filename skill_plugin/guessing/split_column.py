"""A column that says of which split a row is."""

from __future__ import annotations

from typing import Any

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.corpus_guess import CorpusGuess
from skill_plugin.guessing.file_names import SPLIT_WORDS
from skill_plugin.guessing.sample import Sample
from skill_plugin.guessing.unused_names import UnusedNames
from skill_plugin.options.splits import SPLITS, SplitName


def split_column(sample: Sample) -> Column | None:
    """The column whose values are names of splits, if there is one."""
    for column in sample.columns:
        values = {value.lower() for value in column.counts}
        if len(values) > 1 and values <= set(SPLIT_WORDS):
            return column
    return None


def divide_by_column(corpus: CorpusGuess, column: Column, source: Any, names: UnusedNames) -> list[CorpusGuess]:
    """A corpus for each split, since ``where`` is said of a whole one; they share the head.

    Args:
        corpus: becomes that of the first split.
        source: the file, as it stands beside a split.
    """
    words: dict[SplitName, list[str]] = {}
    for value in column.counts:
        words.setdefault(SPLIT_WORDS[value.lower()], []).append(value)
    said = dict(corpus.keys["where"][0]) if "where" in corpus.keys else {}
    found: list[CorpusGuess] = []
    for split in SPLITS:
        if split not in words:
            continue
        where = {**said, column.reference: words[split][0] if len(words[split]) == 1 else words[split]}
        other = corpus
        if found:
            other = CorpusGuess(names.take(f"{corpus.name}-{split}"), open=list(corpus.open))
            other.keys["as"] = (corpus.name, "the same file; rows of another split")
            other.keys["language"] = corpus.keys["language"]
        other.keys["where"] = (where, f"the rows whose {column.reference!r} says so")
        other.keys[split] = (source, "")
        found.append(other)
    return found
