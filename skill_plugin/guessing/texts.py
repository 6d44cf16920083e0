"""Which columns are the texts of a row, and in which order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.sample import Sample

# pairs of texts in the order in which they are read: what is said before what is said of it
_PAIRS = (
    ("premise", "hypothesis"), ("passage", "question"), ("context", "question"), ("question", "sentence"),
    ("question", "answer"), ("query", "answer"), ("query", "document"), ("query", "passage"), ("claim", "evidence"),
    ("title", "body"), ("title", "text"), ("title", "content"), ("title", "description"), ("subject", "body"),
    ("text", "target"), ("text", "aspect"), ("sentence", "aspect"),
)  # fmt: skip
_SINGLE = (
    "text", "sentence", "review", "content", "tweet", "comment", "utterance", "document", "body", "question", "query",
    "message", "post", "title",
)  # fmt: skip
_ORDINALS = ("1", "2", "a", "b")
MEANINGS = ("text_a", "text_b", "text_c")


@dataclass
class ChosenTexts:
    """Columns by meaning, why they were chosen, and what else they might have been."""

    columns: dict[str, Any]
    why: str
    doubts: list[str] = field(default_factory=list)

    @property
    def skills(self) -> tuple[str, ...]:
        return ("sentence",) if len(self.columns) == 1 else ("sentence", "interact")


def choose_texts(sample: Sample, besides: Collection[Column] = ()) -> ChosenTexts | None:
    """The columns with the texts of a row, at most three; None if there is none.

    Args:
        besides: columns that are something else.
    """
    taken = {id(column) for column in besides}
    free = [column for column in sample.columns if id(column) not in taken]
    if pair := _numbered(free) or _named_pair(free):
        names = " and ".join(repr(column.reference) for column in pair)
        return ChosenTexts(_by_meaning(pair), f"{names} are named as pairs of texts are", _others(free, pair))
    texts = [column for column in free if column.is_text]
    if not texts:  # they may be short, or come again
        texts = [one for name in _SINGLE for one in free if one.name == name and _may_be_text(one)][:1]
    if not texts:
        return None
    named = [column for name in _SINGLE for column in texts if column.name == name]
    if named and len(texts) > len(MEANINGS):
        return ChosenTexts(_by_meaning(named[:1]), f"{named[0].reference!r} is named so", _others(free, named[:1]))
    chosen = texts[: len(MEANINGS)]
    what = "the only column" if len(texts) == 1 else f"the {len(texts)} columns"
    return ChosenTexts(_by_meaning(chosen), f"{what} with texts of several words that differ", _others(free, chosen))


def _numbered(columns: list[Column]) -> list[Column] | None:
    """Two columns whose names differ in a number or letter: sentence1 and sentence2; those with the shortest names."""
    found: dict[tuple[str, ...], dict[str, Column]] = {}
    for column in columns:
        marks = [word for word in column.words if word in _ORDINALS]
        rest = tuple(word for word in column.words if word not in _ORDINALS)
        if len(marks) == 1 and rest and _may_be_text(column):
            found.setdefault(rest, {})[marks[0]] = column
    pairs = [
        [marked[first], marked[second]]
        for marked in found.values()
        for first, second in (("1", "2"), ("a", "b"))
        if first in marked and second in marked
    ]
    return min(pairs, key=lambda pair: len(pair[0].name)) if pairs else None


def _named_pair(columns: list[Column]) -> list[Column] | None:
    for first, second in _PAIRS:
        pair = [column for name in (first, second) for column in columns if column.name == name]
        if len(pair) == 2 and all(map(_may_be_text, pair)):
            return pair
    return None


def _may_be_text(column: Column) -> bool:
    """Whether a column whose name says that it holds texts does: they may be short, or repeat."""
    return bool(column.scalars) and column.share_filled > 0.5 and not column.is_number and len(column.counts) > 2


def _by_meaning(columns: list[Column]) -> dict[str, Any]:
    return dict(zip(MEANINGS, (column.reference for column in columns), strict=False))


def _others(columns: list[Column], chosen: list[Column]) -> list[str]:
    """Other columns that hold texts too."""
    others = [column for column in columns if (column.is_text or _lists_texts(column)) and column not in chosen]
    if not others:
        return []
    return [f"{', '.join(repr(column.reference) for column in others)} hold texts too, which are not used"]


def _lists_texts(column: Column) -> bool:
    """Whether it holds lists, in which there may be texts."""
    items = [item for one in column.lists for item in one]
    return any(isinstance(item, list | dict) or (isinstance(item, str) and " " in item) for item in items)
