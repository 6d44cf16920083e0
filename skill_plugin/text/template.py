"""How the texts of an example become one sequence: special tokens, token types, truncation.

``[CLS] a [SEP] b [SEP]`` with token types 0 and 1 (BERT) or ``<s> a </s> </s> b </s>`` (RoBERTa, XLM-R).
Axis: T tokens of the sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError
from skill_plugin.text.vocabulary import Vocabulary

IntArray = npt.NDArray[np.int32]
TRUNCATE = ("longest", "right")


@dataclass(frozen=True, eq=False)
class Assembled:
    """One sequence.

    Attributes:
        tokens: int32 [T], ids of the vocabulary with special tokens.
        token_types: int32 [T], zeros where the template has no token types.
        ranges: for each text, the first of its tokens and one past the last.
        truncated: whether a text lost tokens.
    """

    tokens: IntArray
    token_types: IntArray
    ranges: list[tuple[int, int]]
    truncated: bool


@dataclass(frozen=True)
class Template:
    """Where the special tokens go.

    Attributes:
        separators: end symbols between two texts: 1 (BERT) or 2 (RoBERTa).
        token_types: whether texts after the first one have token type 1.
    """

    separators: int
    token_types: bool

    def special_tokens(self, texts: int) -> int:
        """How many special tokens a sequence of so many texts has."""
        return 2 + self.separators * (texts - 1)

    def describe(self) -> str:
        """The template of a pair, for people."""
        middle = " ".join(["</s>"] * self.separators)
        return f"<s> a {middle} b </s>, " + ("token types 0 and 1" if self.token_types else "no token types")

    def assemble(self, texts: Sequence[IntArray], max_length: int, truncate: str = "longest") -> Assembled:
        """Joins texts and cuts them to a maximum length, special tokens never.

        Args:
            texts: int32 ids of each text, without special tokens; at least one text.
            max_length: most tokens of the sequence, special tokens included.
            truncate: ``longest`` cuts tokens one at a time from the right end of the text that is then longest, as
                transformers' ``longest_first`` does; ``right`` cuts the last text first, then the ones before it.

        Raises:
            InputError: the special tokens alone are longer than ``max_length``.
        """
        room = max_length - self.special_tokens(len(texts))
        if room < 0:
            raise InputError(
                f"max_length {max_length} is too small: {len(texts)} texts need {self.special_tokens(len(texts))} "
                "special tokens alone"
            )
        lengths = [len(text) for text in texts]
        kept = kept_lengths(lengths, room, truncate)
        parts: list[npt.ArrayLike] = [[Vocabulary.bos]]
        types, ranges, at = [1], [], 1
        for i, (text, length) in enumerate(zip(texts, kept, strict=True)):
            ends = 1 if i == len(texts) - 1 else self.separators
            parts += [text[:length], [Vocabulary.eos] * ends]
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
        return Assembled(tokens, token_types, ranges, kept != lengths)


def kept_lengths(lengths: Sequence[int], room: int, truncate: str) -> list[int]:
    """How many tokens each text keeps so that together they have at most ``room``.

    >>> kept_lengths([10, 4], 9, "longest"), kept_lengths([10, 4], 9, "right")
    ([5, 4], [9, 0])
    """
    kept = list(lengths)
    excess = sum(kept) - room
    if truncate == "right":
        for i in reversed(range(len(kept))):
            cut = min(max(excess, 0), kept[i])
            kept[i] -= cut
            excess -= cut
        return kept
    if truncate != "longest":
        raise ValueError(f"truncate is one of {TRUNCATE}, not {truncate!r}")
    # On a tie the text that was shorter to begin with loses first, then the earlier one: transformers' rule, so that a
    # pair is cut here exactly as there.
    order = sorted(range(len(kept)), key=lambda i: (lengths[i], i))
    while excess > 0:
        top = max(kept)
        longest = [i for i in order if kept[i] == top]
        below = max((k for k in kept if k < top), default=0)
        step = min(top - below, excess // len(longest))
        if step == 0:
            for i in longest[:excess]:
                kept[i] -= 1
            break
        for i in longest:
            kept[i] -= step
        excess -= step * len(longest)
    return kept
