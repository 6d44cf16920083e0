"""A sentence, or its words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.kinds.input_form import InputForm, RawInput, canonical_key, check_texts, get_text, make_example
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.words import split_words


class LabellingInput(InputForm):
    """A line is a JSON object with the keys of the kind, or else a sentence as it stands."""

    takes_objects = True

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus, ("text",))
        self.keys = ("words", "text")

    def parse_object(self, line: str) -> RawInput:
        try:
            value = super().parse_object(line)
        except InputError:
            return line
        return value if any(canonical_key(key) in self.keys for key in value) else line

    def divide(self, line: str) -> RawInput:
        return line

    def from_text(self, text: str) -> Example:
        return make_example((text,), words=split_words(text, self.corpus.join == "space"))

    def from_texts(self, texts: tuple[str, ...]) -> Example:
        """Of words."""
        space, at, places = " " if self.corpus.join == "space" else "", 0, []
        for word in texts:
            places.append((at, at + len(word)))
            at += len(word) + len(space)
        return make_example((space.join(texts),), words=tuple(places))

    def from_mapping(self, value: Mapping[str, Any]) -> Example:
        if "words" in value:
            return self.from_texts(check_texts(value["words"], "expected a list of texts under 'words'"))
        return self.from_text(get_text(value, "text"))
