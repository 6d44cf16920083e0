"""Examples, the items of corpora, and faults, the messages about rows that are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_UNKNOWN = ("unknown label", "unknown tag")
_HELP = "; label_map renames labels, drop_labels leaves out their rows"
_MORE = re.compile(r" \(and (\d+) more rows: .*\)$")

# a label; a score; labels or tags; the relevance of each candidate; (start, text) of each span
Answer = str | float | tuple[str, ...] | tuple[int, ...] | tuple[tuple[int, str], ...]


class Example(NamedTuple):
    """One item of a corpus, for which one prediction is made.

    Attributes:
        texts: its texts, unchanged from the file. By kind: text_a, text_b, text_c as far as the corpus has them
            (classification, multilabel, regression, word_in_context); the query, or query and question (ranking); the
            sentence (labelling); question and context (span); the text (masked_lm); the sentences of one document
            (next_sentence).
        answer: the right answer; None in a test split without answers, and for kinds that have none (masked_lm,
            next_sentence). By kind: the label (classification, word_in_context); the labels, each once (multilabel);
            the score (regression); the relevance of each candidate, 0 or more (ranking); the tag of each word
            (labelling); the (start, text) of each answer in the context, with start -1 if the text is not in the
            context, and () if the question has no answer (span).
        file: the file that it was read from.
        line: the number of its first line, from 1.
        candidates: the candidates of the query, one or more (ranking).
        words: [start, end) of each word in ``texts[0]``, in characters (labelling).
        spans: (index into texts, start, end) of the two words, in characters (word_in_context).
        id: the id of the question (span) or query (ranking), if the file has one.
    """

    texts: tuple[str, ...]
    answer: Answer | None
    file: str
    line: int
    candidates: tuple[str, ...] = ()
    words: tuple[tuple[int, int], ...] = ()
    spans: tuple[tuple[int, int, int], ...] = ()
    id: str = ""


def label_names(example: Example) -> tuple[str, ...]:
    """The labels or tags of the answer; () if there is no answer, or the kind has no labels."""
    return names_in(example.answer)


def names_in(answer: Answer | None) -> tuple[str, ...]:
    """The labels or tags of an answer; () if it is None, or the kind has no labels."""
    if isinstance(answer, str):
        return (answer,)
    if isinstance(answer, tuple):
        return tuple([name for name in answer if isinstance(name, str)])
    return ()


@dataclass(frozen=True, order=True)
class Fault:
    """A message about a place in the raw data, which prints as ``file:line: message``."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"


def faults_to_tell(faults: Iterable[Fault]) -> list[Fault]:
    """The faults for a person: merged, and the first of an unknown label names the keys that help with all of them."""
    merged = merge_repeated(faults)
    for number, fault in enumerate(merged):
        if fault.message.startswith(_UNKNOWN):
            merged[number] = Fault(fault.file, fault.line, fault.message + _HELP)
            break
    return merged


def merge_repeated(faults: Iterable[Fault]) -> list[Fault]:
    """Merges equal messages about one file into one, which says how many rows there are and in which lines.

    >>> [str(one) for one in merge_repeated([Fault("a.tsv", 2, "no label"), Fault("a.tsv", 5, "no label")])]
    ['a.tsv:2: no label (2 rows, also in line 5)']
    """
    found: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        found.setdefault((fault.file, _MORE.sub("", fault.message)), []).append(fault)
    return [first if not others else _with_others(first, others) for first, *others in found.values()]


def _with_others(first: Fault, others: Sequence[Fault]) -> Fault:
    lines = dict.fromkeys(str(one.line) for one in others if one.line != first.line)
    if not lines:
        return first  # several corpora reported the same place
    unlisted = sum(int(found[1]) for one in others if (found := _MORE.search(one.message)))
    where = f"line{'s' if len(lines) > 1 else ''} {', '.join(lines)}{f' and {unlisted:,} more' if unlisted else ''}"
    return Fault(first.file, first.line, f"{first.message} ({len(lines) + 1 + unlisted:,} rows, also in {where})")
