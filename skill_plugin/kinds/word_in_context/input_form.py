"""Two words in one or two texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.kinds.input_form import InputForm, RawInput, get_text, make_example
from skill_plugin.kinds.word_in_context.keys import WordInContextKeys
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus

_WORDS = re.compile(r"\S+")  # what offsets in words count


class WordInContextInput(InputForm):
    """A line is a JSON object. The second word is in text_b if there is one."""

    takes_objects = True

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self.keys = ("text_a", "text_b", "word_a", "start_a", "end_a", "word_b", "start_b", "end_b")

    def divide(self, line: str) -> RawInput:
        raise InputError(f"the kind {self.corpus.kind} takes JSON lines with the keys {', '.join(self.keys)}")

    def from_texts(self, texts: tuple[str, ...]) -> Example:
        raise InputError(f"the kind {self.corpus.kind} takes the keys {', '.join(self.keys)}")

    def from_mapping(self, value: Mapping[str, Any]) -> Example:
        texts = (get_text(value, "text_a"), *((get_text(value, "text_b"),) if "text_b" in value else ()))
        sides = (("a", 0), ("b", len(texts) - 1))
        return make_example(
            texts, spans=tuple((text, *_place(self.corpus, value, side, texts[text])) for side, text in sides)
        )

    def sample(self, texts: tuple[str, str]) -> Example:
        """The first word of each text; of one text, its first word and its last."""
        first, second = (text.split() for text in texts)
        words = {"word_a": first[0], "word_b": first[-1] if len(self.texts) == 1 else second[0]}
        return self.from_mapping({**dict(zip(self.texts, texts, strict=False)), **words})


def _place(corpus: Corpus, value: Mapping[str, Any], side: str, text: str) -> tuple[int, int]:
    """[start, end) of a word in characters: by its offsets, which count what the corpus's do, or where it first is."""
    start, end = value.get(f"start_{side}"), value.get(f"end_{side}")
    word = get_text(value, f"word_{side}") if f"word_{side}" in value or start is None else None
    if start is None:
        found = text.find(word or "")
        if not word or found < 0:
            raise InputError(f"the word {word!r} is not in its text")
        return found, found + len(word)
    offsets = WordInContextKeys.of(corpus).offsets
    words = [match.span() for match in _WORDS.finditer(text)] if offsets == "words" else None
    if end is None and type(start) is int and (word is not None or words is not None):
        end = start + (len(word or "") if words is None else max(1, len(_WORDS.findall(word or ""))))
    count = len(text) if words is None else len(words)
    if not (type(start) is int and type(end) is int and 0 <= start < end <= count):
        raise InputError(
            f"start_{side} is {start!r} and end_{side} {end!r}; expected offsets in {offsets}, 0 to {count}"
        )
    return (start, end) if words is None else (words[start][0], words[end - 1][1])
