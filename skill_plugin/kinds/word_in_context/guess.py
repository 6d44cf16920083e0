"""Whether a sample looks like two words, each where it stands, and whether they mean the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.labels import choose_label
from skill_plugin.guessing.sample import Sample
from skill_plugin.readers.cell_values import parse_whole_number

_START = ("start", "index", "begin", "offset")
_END = ("end",)
_WORD = ("text", "word", "target", "lemma")
_TEXT = ("sentence", "text", "context", "example")


def guess_word_in_context(sample: Sample) -> KindGuess | None:
    """As ``Kind.guess``."""
    starts = _two(sample, _START)
    if starts is None or not all(column.is_whole for column in starts):
        return None
    words, ends = _words(sample), _two(sample, _END)
    taken = [*starts, *(words or ()), *(ends or ())]
    label = choose_label(sample, taken)
    if label is None or (words is None and ends is None):
        return None
    texts = _texts(sample, besides=[*taken, label.column])
    if not texts:
        return None
    columns: dict[str, Any] = {name: text.reference for name, text in zip(("text_a", "text_b"), texts, strict=False)}
    for meaning, pair in (("start", starts), ("end", ends), ("word", words)):
        if pair is not None:
            columns |= {f"{meaning}_a": pair[0].reference, f"{meaning}_b": pair[1].reference}
    columns["label"] = label.column.reference
    guess = KindGuess(columns, 0.97, "places of two words in texts, and a label", skills=("token", "interact"))
    if words is not None and ends is None:
        unit = _unit(texts[0], starts[0], words[0])
        if unit == "words":
            guess.options["offsets"] = ("words", "words stand where their numbers say, not their characters")
        elif unit is None:
            guess.doubts.append("words do not stand where the numbers say, counted in characters or in words")
    return guess


def _words(sample: Sample) -> tuple[Column, Column] | None:
    """The columns of both words, which are one where both texts have the same."""
    single = sample.called("word", "lemma", "target_word", "target")
    shared = None if single is None or single.is_number or not single.scalars else (single, single)
    return _two(sample, _WORD) or shared


def _texts(sample: Sample, besides: Sequence[Column]) -> Sequence[Column]:
    """Two columns of texts, or one with both words; none where there is none."""
    one = sample.called("text", "sentence", "context")
    return _two(sample, _TEXT, besides) or ([] if one is None else [one])


def _two(sample: Sample, names: Sequence[str], besides: Sequence[Column] = ()) -> tuple[Column, Column] | None:
    """Two columns whose names have one of these words, and a 1 and a 2, or an a and a b."""
    for name in names:
        for marks in (("1", "2"), ("a", "b")):
            first, second = (_named(sample, name, mark, besides) for mark in marks)
            if first is not None and second is not None:
                return first, second
    return None


def _named(sample: Sample, name: str, mark: str, besides: Sequence[Column]) -> Column | None:
    for column in sample.columns:
        marked = mark in column.words or f"span{mark}" in column.words
        if marked and name in column.words and column.scalars and column not in besides:
            return column
    return None


def _unit(text: Column, start: Column, word: Column) -> str | None:
    """Whether starts count characters or words; None where neither fits most rows."""
    rows = [
        (str(one), place, str(target))
        for one, first, target in zip(text.values, start.values, word.values, strict=False)
        if (place := parse_whole_number(first)) is not None
    ]
    characters = sum(t[s : s + len(w)].lower() == w.lower() for t, s, w in rows)
    counted = sum(" ".join(t.split(" ")[s:]).lower().startswith(w.lower()) for t, s, w in rows)
    if max(characters, counted) < 0.5 * len(rows):
        return None
    return "words" if counted > characters else "characters"
