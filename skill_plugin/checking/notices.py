"""Notices of what loses no row but may spoil a result: repeated rows, rows of train in valid, odd labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from unicodedata import normalize

from skill_plugin.checking.near_labels import find_near_pairs
from skill_plugin.checking.repeats import Repeats, RowNumbers
from skill_plugin.checking.report import CorpusNotice
from skill_plugin.checking.row_findings import RowFindings, RowNotice
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers import Fault
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.readers.read_corpus import CorpusData
from skill_plugin.spec.languages import is_language, is_mostly_unspaced, uses_spaces

_LISTED = 20  # the most notices of one sort
_LOOKED_AT = 1000  # the script of this many rows is looked at


def note_repeats(
    findings: RowFindings, examples: ExampleRows, found: Repeats, in_train: RowNumbers
) -> Iterator[RowNotice]:
    """The first row and the message for each sort of repeated rows of a split."""
    for rows, what in (
        (found.same, f"repeat an earlier {findings.row}"),
        (found.conflicting, findings.conflict),
        (found.other_answers, "are asked before, with other answers"),
        (in_train, findings.overlap),
    ):
        if len(rows):
            yield examples[int(rows[0])], f"{findings.rows} that {what}: {len(rows):,}, the first one here"


def note_labels(data: CorpusData) -> list[CorpusNotice]:
    """Labels that never occur in train, and pairs of labels that look like two spellings of one.

    Spellings are compared only if the labels were read from train, since names in the corpora file are intended. Then a
    label of valid or test that train lacks is a fault already; a tag is not, so tags of other splits are compared too.
    """
    corpus, train = data.corpus, data.splits.get("train")
    if data.labels is None or train is None:
        return []
    counts = train.examples.label_counts()
    what = kind_named(corpus.kind).findings(corpus).label
    absent = [label for label in data.labels if not counts[label]]
    found = [("", f"the {what} {label!r} never occurs in train") for label in absent[:_LISTED]]
    if more := len(absent[_LISTED:]):
        found.append(("", f"and {more:,} other {what}s never occur in train"))
    if corpus.labels is None:
        found += [("", message) for message in _alike(what, find_near_pairs(data.labels))]
        for name, split in data.splits.items():
            new = split.examples.label_counts().keys() - set(data.labels)
            found += [(name, message) for message in _alike(what, find_near_pairs(sorted(new), data.labels), name)]
    return [CorpusNotice(corpus.name, split, Fault(str(corpus.file), corpus.line, message)) for split, message in found]


def note_language(data: CorpusData) -> list[CorpusNotice]:
    """Texts without spaces between words, although the language is taken to have them."""
    corpus = data.corpus
    if not uses_spaces(corpus.language):
        return []
    for name, split in data.splits.items():
        if is_mostly_unspaced("".join(text for example in split.examples[:_LOOKED_AT] for text in example.texts)):
            known = "has them" if is_language(corpus.language) else "is unknown and taken to have them"
            message = (
                f"most letters are of scripts without spaces between words, but the language {corpus.language!r} "
                f"{known}; expected a code such as zh, ja or th"
            )
            return [CorpusNotice(corpus.name, name, Fault(str(corpus.file), corpus.line, message))]
    return []


def _alike(what: str, pairs: Iterable[tuple[str, str]], split: str = "") -> Iterator[str]:
    """Messages about pairs of labels that look like one: two of train, or one of ``split`` and one of train."""
    first = f" of {split}" if split else ""
    listed = [*islice(pairs, _LISTED + 1)]
    for a, b in listed[:_LISTED]:
        shown = ascii if normalize("NFC", a) == normalize("NFC", b) else repr  # repr would show both alike
        one, other = shown(a), shown(b)
        both = f"the {what} {one}{first} and {other}" if split else f"the {what}s {one} and {other}"
        yield f"{both} of train look like one"
    if len(listed) > _LISTED:
        yield f"and more {what}s{first} look like one"
