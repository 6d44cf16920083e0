"""A query, with its question where the corpus has one, and its candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.kinds.input_form import InputForm, RawInput, check_texts, get_text, make_example
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus


class RankingInput(InputForm):
    """A line is a JSON object, or all texts with tabs between."""

    takes_objects = True

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self.keys = ("text_a", "question", "candidates")

    def divide(self, line: str) -> RawInput:
        return line.split("\t")

    def has_spare_tabs(self, value: RawInput) -> bool:
        return False

    def from_texts(self, texts: tuple[str, ...]) -> Example:
        count = len(self.texts)
        padded = (*texts, *[""] * (count + 1 - len(texts)))
        return make_example(padded[:count], candidates=padded[count:])

    def sample(self, texts: tuple[str, str]) -> Example:
        return self.from_texts((*(texts * 2)[: len(self.texts)], *texts))

    def from_mapping(self, value: Mapping[str, Any]) -> Example:
        candidates = check_texts(value.get("candidates"), "expected a list of texts under 'candidates'")
        if not candidates:
            raise InputError("no candidates; expected a list of one or more")
        return make_example(tuple(get_text(value, key) for key in self.texts), candidates=candidates)
