"""A question and its context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skill_plugin.kinds.input_form import InputForm, RawInput, get_text, make_example
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus


class SpanInput(InputForm):
    """A line is a JSON object, or question and context with a tab between."""

    takes_objects = True

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self.keys = (*self.texts, "id")

    def divide(self, line: str) -> RawInput:
        return line.split("\t", 1)

    def from_mapping(self, value: Mapping[str, Any]) -> Example:
        question, context = (get_text(value, key) for key in self.texts)
        return make_example((question, context), id=str(value.get("id", "")))
