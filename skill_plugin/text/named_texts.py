"""The source sequence of a text-to-text model: texts with their names, after a prefix that says what is asked.

``nc: news_title: How to whisk egg whites news_body: Great British Chefs …</s>`` (the thesis, figure 3.1).
Axis: T tokens of the sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from skill_plugin.kinds.registry import kind_named
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.template import Assembled, Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer import IntArray
from skill_plugin.text.vocabulary import Vocabulary


def template_of(corpus: Corpus, encoder: TextEncoder) -> Template:
    """How texts of a corpus become one sequence, with whatever may stand beside them.

    Raises:
        InputError: there is no tokenizer.
    """
    return NamedTexts.of(corpus, encoder, prefixed=True) if encoder.text_to_text else encoder.template


def names_before(corpus: Corpus, prefixed: bool) -> list[str]:
    """What stands before each text of a sequence, as ``premise:``, before the first with the prefix."""
    names = [corpus.text_names[name] for name in kind_named(corpus.kind).named_texts(corpus.columns)] or [""]
    before = [f"{name}:" if name else "" for name in names]
    if prefixed and corpus.prefix:
        before[0] = f"{corpus.prefix}: {before[0]}".rstrip()
    return before


@dataclass(frozen=True)
class NamedTexts(Template):
    """A template whose texts have names instead of special tokens between them.

    Attributes:
        names: the ids that stand before each text.
        marks: tokens of a sequence that stand inside its texts without being of them.
    """

    names: tuple[tuple[int, ...], ...] = ()
    marks: int = 0

    @classmethod
    def of(cls, corpus: Corpus, encoder: TextEncoder, prefixed: bool) -> NamedTexts:
        """The template of a corpus.

        Args:
            corpus: says what its texts are called.
            encoder: makes ids of the names.
            prefixed: whether sequences begin with the corpus's prefix.

        Raises:
            InputError: there is no tokenizer.
        """
        kind, before = kind_named(corpus.kind), names_before(corpus, prefixed)
        ids = [tuple(one.tolist()) for one in encoder.encode_ids([*before, *kind.marks]).split()]
        return cls(0, False, False, tuple(ids[: len(before)]), sum(map(len, ids[len(before) :])))

    def special_tokens(self, texts: int) -> int:
        """The tokens that are no text's, in a sequence of this many texts."""
        return len(list(chain.from_iterable(self.names[:texts]))) + self.marks + 1

    def assemble(self, texts: Sequence[IntArray]) -> Assembled:
        """Names and texts by turns, and ``</s>``; arguments as for other templates."""
        parts, ranges, at = [], [], 0
        for name, text in zip(self.names, texts, strict=True):
            at += len(name)
            parts += [np.array(name, np.int32), np.asarray(text, np.int32)]
            ranges.append((at, at + len(text)))
            at += len(text)
        tokens = np.concatenate([*parts, np.array([Vocabulary.eos], np.int32)])
        return Assembled(tokens, np.zeros(len(tokens), np.int32), ranges)
