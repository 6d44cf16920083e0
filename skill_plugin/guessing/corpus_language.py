"""The language of a corpus: by a column that says it, or by its texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.file_groups import FileGroup
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.language import guess_language
from skill_plugin.guessing.sample import Sample
from skill_plugin.guessing.squad_texts import squad_texts
from skill_plugin.spec.languages import is_language

_ANSWERS = ("label", "tag", "score", "entities", "candidate_label", "choices")  # of which no language is told
_MOST = 30  # languages of one file


def language_column(sample: Sample, columns: Mapping[str, Any]) -> Column | None:
    """A column that says the language of each row, if rows are of several.

    Args:
        columns: what the corpus uses otherwise.
    """
    for column in sample.columns:
        codes = set(column.counts)
        named = column.is_called("language", "lang", "locale") and column.reference not in columns.values()
        if named and 1 < len(codes) <= _MOST and all(map(_is_code, codes)):
            return column
    return None


def language_of(group: FileGroup, sample: Sample, guess: KindGuess) -> tuple[str | None, str]:
    """The code of the language of its texts, None where it cannot be told, and why."""
    if sample.known:
        texts = squad_texts(group.main.name.path, group.main.layout)
    else:
        texts = _texts(sample, guess)
    found = guess_language(texts, [*group.folder, *group.key])
    return found.code, found.why


def _is_code(text: str) -> bool:
    return re.fullmatch("[A-Za-z_-]{2,8}", text) is not None and is_language(text)


def _texts(sample: Sample, guess: KindGuess) -> Iterator[str]:
    used = [str(value) for meaning, value in guess.columns.items() if meaning not in _ANSWERS]
    columns = [column for column in sample.columns if str(column.reference) in used]
    if guess.each is not None or not columns:  # the texts may stand inside the list
        columns += [column for column in sample.columns if column.is_text]
    if sample.running and not guess.columns:
        columns = [column for column in sample.columns if column.reference == "FORM"] or sample.columns[:1]
    for number in range(sample.rows):
        for column in columns:
            yield from _strings(column.values[number] if number < len(column.values) else None, sample.running)


def _strings(value: Any, running: bool) -> Iterator[str]:
    """The texts in a value; words as one text, characters without a space between them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner, running)
    elif isinstance(value, list):
        words = [item for item in value if isinstance(item, str)]
        if words:
            yield ("" if running and all(len(word) == 1 for word in words) else " ").join(words)
        for item in value:
            if not isinstance(item, str):
                yield from _strings(item, running)
