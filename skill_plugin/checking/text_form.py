"""What a text-to-text model reads and writes for a corpus, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.read_corpus import CorpusData
from skill_plugin.text.answer_targets import answer_targets
from skill_plugin.text.named_texts import names_before

if TYPE_CHECKING:
    from skill_plugin.text.text_encoder import TextEncoder

_TEXT = "…"


@dataclass(frozen=True)
class TextForm:
    """The input and the answers of a corpus.

    Attributes:
        source: the input in a run of several corpora, with … for each text.
        targets: the text of each answer, in the order of their ids; none where spans of the text itself are written.
        longest: tokens of the longest of them, with ``</s>``; 0 where there are none.
    """

    source: str
    targets: tuple[str, ...]
    longest: int

    @classmethod
    def of(cls, data: CorpusData, encoder: TextEncoder) -> Self:
        """That of a corpus.

        Raises:
            InputError: its answers cannot be written.
        """
        corpus, kind, labels = data.corpus, kind_named(data.corpus.kind), data.labels or ()
        facts = kind.storage.facts(corpus, data.splits, data.labels)
        sizes = [len(ids) for ids in answer_targets(corpus, labels, facts, encoder)]
        source = " ".join(f"{before} {_TEXT}".lstrip() for before in names_before(corpus, prefixed=True))
        return cls(source, kind.answer_texts(corpus, labels, facts) or (), max(sizes, default=0))
