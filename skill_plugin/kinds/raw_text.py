"""What ``check`` counts in documents of raw text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skill_plugin.checking.contents import Contents
from skill_plugin.errors import counted
from skill_plugin.readers import Example


@dataclass(frozen=True)
class Documents(Contents):
    """Documents of raw text.

    Attributes:
        documents, characters: their numbers.
        sentences: the number of sentences; 0 if texts are not divided into sentences.
        pairs: the number of places between two sentences, where a span can be cut in two.
    """

    documents: int
    sentences: int
    pairs: int
    characters: int

    @classmethod
    def of(cls, examples: Sequence[Example], divided: bool) -> Documents:
        """Counts documents that are divided into sentences, or are one text each."""
        sentences = sum(len(example.texts) for example in examples) if divided else 0
        characters = sum(len(text) for example in examples for text in example.texts)
        return cls(len(examples), sentences, max(sentences - len(examples), 0), characters)

    def summary(self) -> str:
        found = counted(self.characters, "character")
        return f"{counted(self.sentences, 'sentence')}, {found}" if self.sentences else found
