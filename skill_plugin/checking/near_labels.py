"""Finds labels that look like two spellings of one label, without comparing all pairs."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

_NUMBER = re.compile(r"[+-]?[\d.,]+")
_WHOLE = re.compile(r"^([+-]?\d+)\.0*$")
_NEAR = 0.75  # contradictory and contradiction have 10 of 13 letters in common, story and stock 3 of 5


def find_near_pairs(labels: Iterable[str], others: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
    """Finds pairs of labels with a near spelling, each pair once; with ``others``, pairs of a label and another one.

    Two labels are near if they differ only in case, form of Unicode and signs, or only in the end of one word. They
    have a key in common then, so the time is that of making the keys and of taking the pairs.

    >>> list(find_near_pairs(["contradictory", "entailment", "contradiction", "not_entailment"]))
    [('contradictory', 'contradiction')]
    """
    own = _groups(labels)
    theirs = None if others is None else _groups(others)
    seen: set[tuple[str, str]] = set()
    for key, group in own.items():
        pairs = combinations(group, 2) if theirs is None else product(group, theirs.get(key, ()))
        for pair in pairs:
            if pair not in seen:
                seen.add(pair)
                yield pair


@dataclass(frozen=True)
class _Spelling:
    words: tuple[str, ...]  # in lower case, without punctuation

    @classmethod
    def of(cls, label: str) -> _Spelling:
        text = unicodedata.normalize("NFKC", label).casefold()
        if _NUMBER.fullmatch(text.strip()):
            return cls((_WHOLE.sub(r"\1", text.strip()),))  # -1 is not 1, but 1.0 is
        # marks are parts of letters: without them, words of Hindi that differ in their vowels would be one
        letters = "".join(character if unicodedata.category(character)[0] in "LNM" else " " for character in text)
        return cls(tuple(letters.split()))

    def keys(self) -> Iterator[tuple[object, ...]]:
        """The keys of the label; near labels share at least one.

        One key is all its letters. The others are all words, one of them shortened: by a quarter at most, never by a
        digit.
        """
        if self.words:
            yield ("".join(self.words),)
        for place, word in enumerate(self.words):
            before, after = self.words[:place], self.words[place + 1 :]
            for length in range(len(word), math.ceil(_NEAR * len(word)) - 1, -1):
                if any(character.isdigit() for character in word[length:]):
                    break
                if length:
                    yield before, word[:length], after


def _groups(labels: Iterable[str]) -> dict[tuple[object, ...], list[str]]:
    """The labels with each key, in their order."""
    groups: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for label in dict.fromkeys(labels):
        for key in dict.fromkeys(_Spelling.of(label).keys()):
            groups[key].append(label)
    return groups
