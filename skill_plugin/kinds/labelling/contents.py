"""How many words sentences have, and which entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skill_plugin.checking.contents import Contents
from skill_plugin.errors import counted
from skill_plugin.kinds.labelling.entities import find_entities
from skill_plugin.kinds.labelling.keys import LabellingKeys
from skill_plugin.readers import Example
from skill_plugin.readers.example import label_names
from skill_plugin.spec import Corpus
from skill_plugin.spec.tag_schemes import RAW, find_scheme, is_inside_only


@dataclass(frozen=True)
class Words(Contents):
    """Sentences and what their tags say.

    Attributes:
        sentences, words: how many.
        scheme: of the tags.
        entities: type -> how many entities, as the metric finds them; empty for the scheme raw.
    """

    sentences: int
    words: int
    scheme: str
    entities: dict[str, int]

    @classmethod
    def of(cls, corpus: Corpus, examples: Sequence[Example], tags: Sequence[str]) -> Words:
        own = LabellingKeys.of(corpus)
        scheme = own.scheme or find_scheme(tags)
        found: Counter[str] = Counter()
        if scheme != RAW:
            lenient = own.lenient or is_inside_only(tags, scheme)
            for example in examples:
                names = find_entities(label_names(example), scheme, lenient)
                found.update(name for name, _, _ in names)
        words = sum(len(example.words) for example in examples)
        return cls(len(examples), words, scheme, dict(sorted(found.items())))

    def summary(self) -> str:
        return counted(self.words, "word")

    def named(self, labels: Mapping[str, int]) -> tuple[Mapping[str, int], str]:
        return (labels, "tags") if self.scheme == RAW else (self.entities, "types")
