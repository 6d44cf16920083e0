"""What loses no row but may spoil a result: repeated rows, rows of train in valid, labels that are odd."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations

from skill_plugin.readers import Answer, Example, Fault
from skill_plugin.readers.example import label_names
from skill_plugin.readers.read_corpus import CorpusData

_NEAR = 0.75  # contradictory and contradiction have 10 of 13 letters in common, story and stock 3 of 5


def repeated(examples: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """Rows equal to an earlier one, and rows with the texts of an earlier one but another label."""
    first: dict[Hashable, Answer | None] = {}
    seen: set[Hashable] = set()
    same, conflicting = [], []
    for example in examples:
        asked = _asked(example)
        row = (asked, example.answer)
        if row in seen:
            same.append(example)
        elif first.setdefault(asked, example.answer) != example.answer:
            conflicting.append(example)
        seen.add(row)
    return same, conflicting


def _asked(example: Example) -> Hashable:
    """All that a prediction is made from."""
    return example.texts, example.candidates, example.words, example.spans


def overlapping(examples: Sequence[Example], train: Sequence[Example]) -> list[Example]:
    """Rows whose texts also occur in train."""
    known = {_asked(example) for example in train}
    return [example for example in examples if _asked(example) in known]


def about_rows(corpus: str, split: str, rows: Sequence[Example], what: str) -> list[Fault]:
    """One notice for all the rows, at the first of them."""
    if not rows:
        return []
    message = f"corpus {corpus!r}: {split}: rows that {what}: {len(rows):,}, the first one here"
    return [Fault(rows[0].file, rows[0].line, message)]


def about_labels(data: CorpusData) -> list[Fault]:
    """Labels that never occur in train, and pairs of labels that look like two spellings of one."""
    corpus, train = data.corpus, data.splits.get("train")
    if data.labels is None or train is None:
        return []
    found = Counter(name for example in train.examples for name in label_names(example))
    messages = [f"the label {label!r} never occurs in train" for label in data.labels if not found[label]]
    if corpus.labels is None:
        pairs = combinations(data.labels, 2)
        messages += [f"the labels {a!r} and {b!r} of train look like one" for a, b in pairs if near_spelling(a, b)]
    return [Fault(str(corpus.file), corpus.line, f"corpus {corpus.name!r}: {message}") for message in messages]


def near_spelling(a: str, b: str) -> bool:
    """Whether two labels differ only in case and signs, or only in the end of one word.

    >>> near_spelling("contradictory", "contradiction"), near_spelling("entailment", "not_entailment")
    (True, False)
    """
    words_a, words_b = (re.findall(r"[^\W_]+", label.casefold()) for label in (a, b))
    if "".join(words_a) == "".join(words_b):
        return bool(words_a)
    different = [pair for pair in zip(words_a, words_b, strict=False) if pair[0] != pair[1]]
    if len(words_a) != len(words_b) or len(different) != 1:
        return False
    one, other = different[0]
    common = next(
        (i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )
    numbered = any(character.isdigit() for character in one[common:] + other[common:])
    return common >= _NEAR * max(len(one), len(other)) and not numbered
