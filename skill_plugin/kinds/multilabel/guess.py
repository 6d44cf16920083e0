"""Whether a sample looks like texts with any number of labels."""

from __future__ import annotations

from collections import Counter

from skill_plugin.guessing.column import MOST_LABELS, Column
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.labels import NAMES
from skill_plugin.guessing.sample import Sample
from skill_plugin.guessing.texts import ChosenTexts, choose_texts

_SEPARATORS = (",", ";", "|", " ")
_FEWEST_FLAGS = 3  # columns of 0 and 1: two may be two labels of their own


def guess_multilabel(sample: Sample) -> KindGuess | None:
    """As ``Kind.guess``."""
    return _of_flags(sample) or _of_lists(sample) or _of_joined(sample)


def _of_flags(sample: Sample) -> KindGuess | None:
    """A column of 0 and 1 for each label."""
    flags = [
        column
        for column in sample.columns
        if isinstance(column.reference, str)
        and column.share_filled == 1
        and column.counts
        and set(column.counts) <= {"0", "1", "true", "false"}
    ]
    texts = choose_texts(sample, flags)
    if texts is None or len(flags) < _FEWEST_FLAGS:
        return None
    guess = _guess(texts, 0.95, f"{len(flags)} columns of 0 and 1, one for each label")
    guess.columns["label"] = [column.reference for column in flags]
    return guess


def _of_lists(sample: Sample) -> KindGuess | None:
    """A column of lists of labels."""
    for column in sample.columns:
        names = [item for one in column.lists for item in one]
        if (
            _one_for_each(column.lists)
            or not names
            or not all(isinstance(name, str | int) for name in names)
            or not _are_few(Counter(map(str, names)))
        ):
            continue
        texts = choose_texts(sample, [column])
        if texts is None:
            continue
        return _with_label(texts, column, 0.9 if column.is_called(*NAMES) else 0.7, "lists of values that come again")
    return None


def _of_joined(sample: Sample) -> KindGuess | None:
    """A column whose cells hold several labels between separators."""
    for column in sample.columns:
        if column.is_text and not column.is_called(*NAMES):
            continue
        for separator in _SEPARATORS:
            parts = [[part.strip() for part in value.split(separator) if part.strip()] for value in column.scalars]
            several = sum(len(one) > 1 for one in parts)
            counts = Counter(part for one in parts for part in one)
            if several < 0.1 * len(parts) or not parts or not _are_few(counts) or len(counts) >= len(column.counts):
                continue
            texts = choose_texts(sample, [column])
            if texts is None:
                continue
            why = f"values of which cells hold several, with {separator!r} between them"
            guess = _with_label(
                texts, column, 0.92 if column.is_called(*NAMES) else 0.75 if separator in ";|" else 0.5, why
            )
            if separator != ",":
                guess.options["label_separator"] = (separator, "stands between the labels of a cell")
            return guess
    return None


def _one_for_each(rows: list[list[object]]) -> bool:
    """Whether lists have a 0 or 1 for each label, whose names stand nowhere."""
    return all(value in (0, 1) for row in rows for value in row) and len({len(row) for row in rows}) == 1


def _are_few(counts: Counter[str]) -> bool:
    return 1 < len(counts) <= min(MOST_LABELS, max(3, counts.total() // 3)) and max(map(len, counts)) <= 60


def _with_label(texts: ChosenTexts, column: Column, sure: float, why: str) -> KindGuess:
    guess = _guess(texts, sure, why)
    guess.columns["label"] = column.reference
    guess.notes["label"] = why
    return guess


def _guess(texts: ChosenTexts, sure: float, why: str) -> KindGuess:
    return KindGuess(
        dict(texts.columns), sure, why, {"text_a": texts.why}, skills=texts.skills, doubts=list(texts.doubts)
    )
