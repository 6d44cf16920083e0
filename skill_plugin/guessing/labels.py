"""Which column holds one label for each row."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from skill_plugin.errors import counted
from skill_plugin.guessing.column import Column
from skill_plugin.guessing.sample import Sample

NAMES = (
    "label", "labels", "gold_label", "gold", "class", "category", "target", "intent", "topic", "sentiment", "polarity",
    "emotion", "stance", "answer", "is_duplicate", "is_paraphrase", "duplicate", "paraphrase", "quality", "relevance",
    "relevant", "verdict", "judgment", "judgement", "acceptable", "acceptability", "offensive", "toxic", "spam",
    "genre", "rating", "stars", "score", "y", "output", "type",
)  # fmt: skip
ANSWERS = ("label", "labels", "gold_label", "class", "category", "target", "score", "tag", "tags")  # nothing else
_DESCRIBED = ("desc", "description", "name", "text", "str")  # label_desc: the name of the class that label numbers
_BESIDE = (
    "id", "idx", "index", "lang", "language", "locale", "split", "source", "dataset", "domain", "version", "year",
    "annotator", "file", "filename", "partition", "fold",
)  # fmt: skip


@dataclass
class ChosenLabel:
    """A column of labels, how sure it is, why, and what else might be one."""

    column: Column
    sure: float
    why: str
    doubts: list[str] = field(default_factory=list)


def choose_label(sample: Sample, besides: Collection[Column] = ()) -> ChosenLabel | None:
    """The column with a label for each row: the one that is named so, else the last one that looks so.

    Args:
        besides: columns that are something else.
    """
    candidates = [column for column in sample.columns if column not in besides and _is_candidate(column)]
    named = [column for name in NAMES for column in candidates if "_".join(column.words) == name]
    named = named or [column for name in NAMES for column in candidates if column.is_called(name)]
    if named:
        best = _with_words(named[0], candidates)
        why = f"{best.reference!r} is named so"
        if best is not named[0]:
            why = f"{best.reference!r} has the names of the classes that {named[0].reference!r} numbers"
        return ChosenLabel(best, 0.9, f"{why}, with {_kinds(best)}", _others(candidates, named[0], best))
    several = [column for column in candidates if len(column.counts) > 1]
    if not several:
        return None
    best = several[-1]
    why = f"{_kinds(best)} come again and again"
    return ChosenLabel(best, 0.7, why, _others(several, best))


def columns_beside(sample: Sample) -> list[Column]:
    """Columns that look like labels, and by their names are facts of texts, such as where they are from."""
    return [
        column
        for column in sample.columns
        if column.is_label_like
        and len(column.counts) > 1
        and (column.is_whole or not column.is_number)
        and column.is_called(*_BESIDE)
        and not column.is_called(*NAMES)
    ]


def _is_candidate(column: Column) -> bool:
    """Whether it may hold labels, by its values and its name."""
    if column.is_number and not column.is_whole:
        return False
    if column.is_called(*NAMES):
        return column.is_label_like or _may_be_label(column)
    return column.is_label_like and not column.is_called(*_BESIDE)


def _may_be_label(column: Column) -> bool:
    """Whether the values of a column that is named so can be labels, though they do not look it."""
    return (
        bool(column.scalars)
        and not column.lists
        and 0 < len(column.counts) <= max(10, len(column.scalars) // 2)
        and not column.is_text
    )


def _kinds(column: Column) -> str:
    return counted(len(column.counts), "value")


def _with_words(column: Column, candidates: list[Column]) -> Column:
    """Another column that names what this one numbers, if there is one."""
    if not column.is_whole:
        return column
    for other in candidates:
        pairs = set(zip(map(str, column.values), map(str, other.values), strict=False))
        if other is not column and not other.is_number and other.is_called(*_DESCRIBED) and (
            len(pairs) == len(column.counts) == len(other.counts)
        ):  # fmt: skip
            return other
    return column


def _others(candidates: list[Column], *chosen: Column) -> list[str]:
    others = [column for column in candidates if column not in chosen and len(column.counts) > 1]
    if not others:
        return []
    return [f"{', '.join(repr(column.reference) for column in others)} may be labels too"]
