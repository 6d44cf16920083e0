"""Finds rows that occur twice, in one split, or in train and another split."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from skill_plugin.checking.row_findings import RowFindings
from skill_plugin.readers import Example


@dataclass
class Repeats:
    """Rows of one split, each in one list at most.

    Attributes:
        same: rows that are equal to an earlier one, answer included. The order of candidates, labels and accepted
            answers does not count.
        conflicting: rows that ask the same as an earlier one but have another answer. In ranking: a candidate has
            another relevance for the same query. In span: one row has an answer and the other has none, since two
            different answers may both be right.
        other_answers: questions that are asked again, with other answers (span).
    """

    same: list[Example] = field(default_factory=list)
    conflicting: list[Example] = field(default_factory=list)
    other_answers: list[Example] = field(default_factory=list)


def find_repeats(findings: RowFindings, examples: Iterable[Example]) -> Repeats:
    """Finds the rows of a split that repeat an earlier one."""
    found = Repeats()
    first: dict[Hashable, Hashable] = {}
    seen: set[Hashable] = set()
    for example in examples:
        claims, row = findings.claims(example), findings.identity(example)
        pairs = [(first.setdefault(asked, answer), answer) for asked, answer in claims]
        if row in seen:
            found.same.append(example)
        elif any(one is not None and other is not None and findings.differ(one, other) for one, other in pairs):
            found.conflicting.append(example)
        elif findings.accepts_others and any(one != other for one, other in pairs):
            found.other_answers.append(example)
        seen.add(row)
    return found


def collect_keys(findings: RowFindings, examples: Iterable[Example]) -> set[Hashable]:
    """Collects the keys of all rows of a split, with which ``find_overlap`` compares another split."""
    return {key for example in examples for key in findings.keys(example)}


def find_overlap(findings: RowFindings, examples: Iterable[Example], train: set[Hashable]) -> list[Example]:
    """Finds rows whose texts also occur in train, whatever the answer; in ranking, queries with a candidate that
    train has for the same query.

    Args:
        findings: the findings of the corpus.
        examples: the rows of valid or test.
        train: ``collect_keys`` of the rows of train.
    """
    return [example for example in examples if not train.isdisjoint(findings.keys(example))]
