"""Whether a sample looks like two words, each where it stands, and whether they mean the same."""

from __future__ import annotations

from typing import Any

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.labels import choose_label
from skill_plugin.guessing.sample import Sample
from skill_plugin.readers.cell_values import parse_whole_number

_START = ("start", "index", "begin", "offset")
_END = ("end",)
_WORD = ("text", "word", "target", "lemma")


def guess_word_in_context(sample: Sample) -> KindGuess | None:
    starts = _two(sample, _START)
    if starts is None or not all(column.is_whole for column in starts):
        return None
    words, ends = _two(sample, _WORD), _two(sample, _END)
    single = sample.called("word", "lemma", "target_word", "target")
    if words is None and single is not None and not single.is_number and single.scalars:
        words = (single, single)
    label = choose_label(sample, [*starts, *(words or ()), *(ends or ())])
    taken = [*starts, *(words or ()), *(ends or ()), *([label.column] if label else [])]
    texts = _two(sample, ("sentence", "text", "context", "example"), besides=taken)
    one = sample.called("text", "sentence", "context")
    if label is None or (words is None and ends is None) or (texts is None and one is None):
        return None
    columns: dict[str, Any] = {}
    if texts is not None and not any(column in taken for column in texts):
        columns |= {"text_a": texts[0].reference, "text_b": texts[1].reference}
    elif one is not None:
        columns |= {"text_a": one.reference}
    for meaning, pair in (("start", starts), ("end", ends), ("word", words)):
        if pair is not None:
            columns |= {f"{meaning}_a": pair[0].reference, f"{meaning}_b": pair[1].reference}
    columns["label"] = label.column.reference
    guess = KindGuess(columns, 0.97, "places of two words in texts, and a label", skills=("token", "interact"))
    text = sample.column(str(columns["text_a"]))
    if words is not None and text is not None and ends is None:
        unit = _unit(text, starts[0], words[0])
        if unit == "words":
            guess.options["offsets"] = ("words", "words stand where their numbers say, not their characters")
        elif unit is None:
            guess.doubts.append("words do not stand where the numbers say, counted in characters or in words")
    return guess


def _two(sample: Sample, names: tuple[str, ...], besides: list[Column] | None = None) -> tuple[Column, Column] | None:
    """Two columns whose names have one of these words, and a 1 and a 2, or an a and a b."""
    for name in names:
        for first, second in (("1", "2"), ("a", "b")):
            found = [_named(sample, name, mark, besides or []) for mark in (first, second)]
            if found[0] is not None and found[1] is not None:
                return found[0], found[1]
    return None


def _named(sample: Sample, name: str, mark: str, besides: list[Column]) -> Column | None:
    for column in sample.columns:
        words = column.words
        if name in words and column.scalars and column not in besides:
            joined = any(word == mark for word in words) or any(f"span{mark}" == word for word in words)
            if joined:
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
