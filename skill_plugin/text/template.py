"""Joins texts into one sequence, with special tokens and token types.

``[CLS] a [SEP] b [SEP]`` with token types 0 and 1 (BERT), ``<s> a </s> </s> b </s>`` (RoBERTa, XLM-R) or
``a </s> b </s>`` (mT5).
Axis: T tokens of the sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from skill_plugin.text.tokenizer import IntArray
from skill_plugin.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Assembled:
    """One sequence.

    Attributes:
        tokens: int32 [T], ids of the vocabulary, special tokens included.
        token_types: int32 [T], all zeros if the template has no token types.
        ranges: for each text, the positions of its first token and one past its last.
    """

    tokens: IntArray
    token_types: IntArray
    ranges: list[tuple[int, int]]


@dataclass(frozen=True)
class Template:
    """Which special tokens stand between and around texts.

    Attributes:
        separators: the number of end symbols between two texts: 1 (BERT) or 2 (RoBERTa).
        token_types: whether texts after the first one have token type 1.
        begins: whether a sequence begins with ``<s>``; those of text-to-text models do not.
    """

    separators: int
    token_types: bool
    begins: bool = True

    @classmethod
    def of_text_to_text(cls) -> Self:
        """That of mT5."""
        return cls(1, token_types=False, begins=False)

    def special_tokens(self, texts: int) -> int:
        """The number of special tokens in a sequence of this many texts."""
        return self.begins + 1 + self.separators * (texts - 1)

    def describe(self) -> str:
        """The template of a pair, for people."""
        parts = [*["<s>"] * self.begins, "a", *["</s>"] * self.separators, "b", "</s>"]
        return f"{' '.join(parts)}, " + ("token types 0 and 1" if self.token_types else "no token types")

    def assemble(self, texts: Sequence[IntArray]) -> Assembled:
        """Joins texts. They must be short enough: ``text.sequences`` says how they are cut.

        Args:
            texts: one text or more, int32 ids without special tokens.
        """
        parts: list[npt.ArrayLike] = [[Vocabulary.bos] * self.begins]
        types, ranges, at = [int(self.begins)], [], int(self.begins)
        for i, text in enumerate(texts):
            length, ends = len(text), 1 if i == len(texts) - 1 else self.separators
            parts += [text, [Vocabulary.eos] * ends]
            ranges.append((at, at + length))
            # The first separator closes the text before it; a second one opens the text behind it, but templates with
            # two separators know no token types.
            types[-1] += length + ends
            types.append(0)
            at += length + ends
        tokens = np.concatenate([np.asarray(part, np.int32) for part in parts])
        token_types = np.zeros(len(tokens), np.int32)
        if self.token_types:
            token_types[types[0] :] = 1
        return Assembled(tokens, token_types, ranges)
