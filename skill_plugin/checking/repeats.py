"""Finds rows that occur twice, in one split, or in train and another split.

Rows are compared by digests of 64 bits (Python's own hashes), so that a row takes 16 bytes and not its texts. Two
different ones of n rows have one digest with a probability below n² / 2⁶⁵: 3e-8 for a million rows.

Axes: n rows, c claims (what rows ask, with the answer), mostly one a row.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
import numpy.typing as npt

from skill_plugin.checking.row_findings import RowFindings
from skill_plugin.readers.example_rows import ExampleBlock, ExampleRows

Digests = npt.NDArray[np.uint64]
RowNumbers = npt.NDArray[np.int64]
_UNKNOWN = np.uint64(0)  # in place of the digest of an answer that is not known
_ODD = np.uint64(0x9E3779B97F4A7C15)
_PARTS = 16  # digests are sorted in so many parts, one after the other, which saves memory


@dataclass
class Repeats:
    """Rows of one split by their numbers, increasing; each in one array at most.

    Attributes:
        same: rows that are equal to an earlier one, answer included. The order of candidates, labels and accepted
            answers does not count.
        conflicting: rows that ask the same as an earlier one but have another answer. In ranking: a candidate has
            another relevance for the same query. In span: one row has an answer and the other has none, since two
            different answers may both be right.
        other_answers: questions that are asked again, with other answers (span).
    """

    same: RowNumbers
    conflicting: RowNumbers
    other_answers: RowNumbers


@dataclass
class ClaimDigests:
    """Digests of what the rows of a split claim, collected block by block.

    Attributes:
        findings: the findings of the corpus.
        asked, answers: of each claim, what is asked and the answer [c].
        stances: of each claim, what contradicts other stances [c]; empty if that is the answer.
        counts: the claims of each row [n]; empty if each has one.
        identities: of each row, where that is more than its claim [n]; otherwise empty.
    """

    findings: RowFindings
    asked: list[Digests] = field(default_factory=list)
    answers: list[Digests] = field(default_factory=list)
    stances: list[Digests] = field(default_factory=list)
    counts: list[RowNumbers] = field(default_factory=list)
    identities: list[Digests] = field(default_factory=list)

    def add(self, block: ExampleBlock) -> None:
        findings = self.findings
        if _is_usual(findings, "claims", "identity", "stance"):
            none = repeat(())
            asked = zip(block.texts, block.words or none, block.spans or none)  # noqa: B905  some are endless
            self.asked.append(_digests(map(hash, asked), len(block)))
            digests = {answer: digest_answer(answer) for answer in set(block.answers)}
            self.answers.append(_digests(map(digests.__getitem__, block.answers), len(block)))
            return
        claims = [findings.claims(example) for example in block]
        flat = [claim for row in claims for claim in row]
        self.asked.append(_digests((hash(asked) for asked, _ in flat), len(flat)))
        self.answers.append(_digests((digest_answer(answer) for _, answer in flat), len(flat)))
        self.stances.append(_digests((hash(findings.stance(answer)) for _, answer in flat), len(flat)))
        self.counts.append(np.array([len(row) for row in claims], np.int64))
        self.identities.append(_digests((hash(findings.identity(example)) for example in block), len(block)))

    def find_repeats(self) -> Repeats:
        """Finds the rows that repeat an earlier one."""
        asked, answers = _join(self.asked), _join(self.answers)
        self.asked, self.answers = [asked], [answers]
        same = _repeated(_join(self.identities) if self.identities else asked + answers * _ODD)
        stances = _join(self.stances) if self.stances else answers
        conflicting, other = np.zeros(len(asked), np.bool_), np.zeros(len(asked), np.bool_)
        for claims, first in _first_of_equals(asked):
            known = (answers[first] != _UNKNOWN) & (answers[claims] != _UNKNOWN)
            conflicting[claims] = known & (stances[first] != stances[claims])
            if self.findings.accepts_others:
                other[claims] = answers[first] != answers[claims]
        if self.counts:
            rows = np.repeat(np.arange(len(same)), np.concatenate(self.counts))
            conflicting, other = (np.bincount(rows[which], minlength=len(same)) > 0 for which in (conflicting, other))
        conflicting &= ~same
        return Repeats(*map(np.flatnonzero, (same, conflicting, other & ~same & ~conflicting)))


def find_repeats(findings: RowFindings, examples: ExampleRows) -> Repeats:
    """Finds the rows of a split that repeat an earlier one."""
    claims = ClaimDigests(findings)
    for block in examples.blocks():
        claims.add(block)
    return claims.find_repeats()


def collect_keys(findings: RowFindings, examples: ExampleRows) -> Digests:
    """Collects the keys of all rows of a split, sorted, with which ``find_overlap`` compares another split."""
    return np.unique(_join([_keys(findings, block)[0] for block in examples.blocks()]))


def find_overlap(findings: RowFindings, examples: ExampleRows, train: Digests | None) -> RowNumbers:
    """Finds rows whose texts also occur in train, whatever the answer; in ranking, queries with a candidate that
    train has for the same query.

    Args:
        findings: the findings of the corpus.
        examples: the rows of valid or test.
        train: ``collect_keys`` of the rows of train; None if there is nothing to compare with.

    Returns:
        The numbers of these rows, increasing.
    """
    found, before = [np.zeros(0, np.int64)], 0
    if train is None or not len(train):
        return found[0]
    for block in examples.blocks():
        keys, rows = _keys(findings, block)
        places = np.minimum(np.searchsorted(train, keys), len(train) - 1)
        found.append(before + np.unique(rows[train[places] == keys]))
        before += len(block)
    return np.concatenate(found)


def digest_answer(answer: Hashable) -> int:
    """A hash of an answer; 0 if it is None."""
    if answer is None:
        return int(_UNKNOWN)
    return hash("-1") if answer == -1 else hash(answer) or hash("0")  # Python hashes -1 and -2 alike


def _keys(findings: RowFindings, block: ExampleBlock) -> tuple[Digests, RowNumbers]:
    """The keys of rows, and for each the number of its row in the block."""
    if block.spans is None and _is_usual(findings, "keys"):
        return _digests(map(hash, block.texts), len(block)), np.arange(len(block))
    keys = [findings.keys(example) for example in block]
    counts = [len(row) for row in keys]
    return _digests((hash(key) for row in keys for key in row), sum(counts)), np.repeat(np.arange(len(keys)), counts)


def _is_usual(findings: RowFindings, *methods: str) -> bool:
    """Whether a kind does without methods of its own, so that whole columns can be taken."""
    return all(getattr(type(findings), name) is getattr(RowFindings, name) for name in methods)


def _digests(hashes: Iterable[int], count: int) -> Digests:
    return np.fromiter(hashes, np.int64, count).view(np.uint64)


def _join(parts: list[Digests]) -> Digests:
    return np.concatenate([np.zeros(0, np.uint64), *parts])


def _repeated(digests: Digests) -> npt.NDArray[np.bool_]:
    """Whether each digest occurs before it."""
    found = np.zeros(len(digests), np.bool_)
    for places, first in _first_of_equals(digests):
        found[places] = first != places
    return found


def _first_of_equals(digests: Digests) -> Iterator[tuple[RowNumbers, RowNumbers]]:
    """The places of all digests, in some order and some parts, and for each the place of the first equal one."""
    parts = digests.view(np.uint8)[7::8] % _PARTS
    for part in range(_PARTS):
        places = np.flatnonzero(parts == part)
        places = places[np.argsort(digests[places], kind="stable")]
        ordered = digests[places]
        begins = np.ones(len(places), np.bool_)
        begins[1:] = ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(begins)
        yield places, np.repeat(places[starts], np.diff(starts, append=len(places)))
