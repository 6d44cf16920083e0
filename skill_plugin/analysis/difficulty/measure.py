"""EDM, a measure of how difficult classification is by texts and labels alone, which figure 3.8 of CA-MTL shows.

"Evolutionary Data Measures: Understanding the Difficulty of Text Classification Tasks" (Collins, Rozanov and Zhang
2018), as its program (github.com/Wluper/edm), which the thesis names, computes it: ``distance`` and ``information``
are not what their names stand for elsewhere. It counts words of ASCII letters, and knows stop words of English.
"""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import combinations

from skill_plugin.analysis.difficulty.stop_words import STOP_WORDS

FREQUENT = 10  # words of a class whose information counts

Words = Counter[str]  # word -> how often it occurs, in the order in which they are met

_NO_MARKS = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class Difficulty:
    """The parts of the measure, each of which is larger for what is more difficult.

    Attributes:
        vocabulary: distinct words over all words.
        imbalance: how far the shares of the classes are from equal ones, as the sum of the absolute differences.
        diversity: the entropy of the classes, in nats.
        similarity: 1 less the least distance of two classes' words.
        information: the mean over all pairs of classes of what their most frequent words have in common.
    """

    vocabulary: float
    imbalance: float
    diversity: float
    similarity: float
    information: float

    @property
    def sum(self) -> float:
        """The difficulty."""
        return math.fsum(getattr(self, part.name) for part in fields(self))


class LabelledWords:
    """The words of a corpus by class.

    Attributes:
        rows: how many texts each class has, in the order in which they are met.
        words: the words of each.
    """

    def __init__(self) -> None:
        self.rows: Counter[str] = Counter()
        self.words: dict[str, Words] = {}

    def add(self, text: str, label: str) -> None:
        """Counts a text."""
        self.rows[label] += 1
        self.words.setdefault(label, Counter()).update(words_of(text))

    def difficulty(self) -> Difficulty | None:
        """The measure; None where there are not two classes, or no words."""
        total, texts = sum((self.words.values()), Counter[str]()), self.rows.total()
        if len(self.rows) < 2 or not total:
            return None
        shares = [rows / texts for rows in self.rows.values()]
        return Difficulty(
            vocabulary=len(total) / total.total(),
            imbalance=math.fsum(abs(1 / len(shares) - share) for share in shares),
            diversity=-math.fsum(share * math.log(share) for share in shares),
            similarity=1 - min(distance(first, second) for first, second in combinations(self.words.values(), 2)),
            information=_mean_information([most_frequent(words) for words in self.words.values()]),
        )


def words_of(text: str) -> list[str]:
    """The words of a text: lower case, without marks and without characters that are not ASCII.

    >>> words_of("It isn't a café, U.S.A.!")
    ['it', 'isnt', 'a', 'caf', 'usa']
    """
    ascii_only = "".join(character for character in text if 0 < ord(character) < 127)
    return ascii_only.translate(_NO_MARKS).lower().split()


def most_frequent(words: Words) -> Words:
    """The most frequent words that are no stop words; of equally frequent ones those that were met first."""
    kept = Counter({word: number for word, number in words.items() if word not in STOP_WORDS})
    return Counter(dict(kept.most_common(FREQUENT)))


def distance(first: Words, second: Words) -> float:
    """Hellinger's distance over the words of the first; words that only the second has are left out."""
    share, other = (_shares(words) for words in (first, second))
    parts = ((math.sqrt(p) - math.sqrt(other.get(word, 0.0))) ** 2 for word, p in share.items())
    return math.sqrt(math.fsum(parts) / 2)


def information(first: Words, second: Words) -> float:
    """Over words that both have: p12 log(p12 / (p1 p2)), where p12 is the word's share of both taken together."""
    share, other, joint = (_shares(words) for words in (first, second, first + second))
    common = (word for word in share if word in other)
    return math.fsum(joint[word] * math.log(joint[word] / (share[word] * other[word])) for word in common)


def _mean_information(classes: list[Words]) -> float:
    """Over all ordered pairs; of a class with itself it is the entropy of its words."""
    own = math.fsum(-p * math.log(p) for words in classes for p in _shares(words).values())
    pairs = math.fsum(information(first, second) for first, second in combinations(classes, 2))
    return (own + 2 * pairs) / len(classes) ** 2


def _shares(words: Mapping[str, int]) -> dict[str, float]:
    total = sum(words.values())
    return {word: number / total for word, number in words.items()}


def count_words(rows: Iterable[tuple[str, str]]) -> LabelledWords:
    """The words of texts with their labels."""
    found = LabelledWords()
    for text, label in rows:
        found.add(text, label)
    return found
