"""Guessed corpora beside the right ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truth import set_of

from skill_plugin.guessing.corpus_guess import Guessed
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers import Fault
from skill_plugin.spec import read_corpora_file
from skill_plugin.spec.columns import list_columns
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.languages import primary_language


@dataclass
class SetResult:
    """What was guessed of one set.

    Attributes:
        outcome: ``right``, ``open`` or ``wrong``: kinds and columns of all its files.
        told: whether a comment that asks to look stands at each guess that is wrong.
        language, splits, labels: whether they are right too, of guesses whose kind and columns are; None where there is
            nothing to compare.
        why: what is open or wrong.
        faults: that `check` finds in its files; None where it was not asked.
    """

    name: str
    outcome: str = "right"
    told: bool = True
    language: bool | None = None
    splits: bool | None = None
    labels: bool | None = None
    why: list[str] = field(default_factory=list)
    faults: int | None = None


def compare_sets(
    truth: Mapping[str, list[Corpus]], found: Guessed, file: Path, raw: Path, faults: Sequence[Fault] | None
) -> list[SetResult]:
    """A result for each set."""
    guessed: dict[str, list[Corpus]] = {name: [] for name in truth}
    for corpus in read_corpora_file(file).corpora.values():
        guessed[set_of(next(iter(corpus.sources.values())).files[0], raw)].append(corpus)
    doubts = {corpus.name: corpus.doubts for corpus in found.corpora}
    broken = Counter(_set_of_fault(fault, guessed, raw) for fault in faults or ())
    results = []
    for name, right in truth.items():
        result = _compare(name, right, guessed[name], doubts, raw)
        result.faults = None if faults is None else broken[name]
        results.append(result)
    return results


def _set_of_fault(fault: Fault, guessed: Mapping[str, list[Corpus]], raw: Path) -> str:
    """The set of a fault's file, or of the corpus at whose line it is."""
    path = Path(fault.file)
    if path.resolve().is_relative_to(raw):
        return set_of(path, raw)
    return next((name for name, every in guessed.items() if any(one.line == fault.line for one in every)), "")


def _compare(
    name: str, right: Sequence[Corpus], guessed: Sequence[Corpus], doubts: Mapping[str, list[str]], raw: Path
) -> SetResult:
    result = SetResult(name)
    covered: set[Path] = set()
    same: list[tuple[Corpus, Corpus]] = []
    for guess in guessed:
        matches = [one for one in right if _is_right(guess, one)]
        if not matches:
            result.outcome = "wrong"
            result.told &= bool(doubts.get(guess.name))
            result.why.append(f"{guess.name}: {guess.kind} {_shown(guess)}")
            continue
        covered |= _files(guess)
        same.append((guess, max(matches, key=lambda one: (_splits_right(guess, one), guess.language == one.language))))
    needed = {path for one in right for path in _files(one, ("train", "valid")) if set_of(path, raw) == name}
    missing = sorted(path.relative_to(raw / name) for path in needed - covered)
    if missing and result.outcome == "right":
        result.outcome = "open"
        result.why.append(f"not read: {', '.join(map(str, missing))}")
    if same:
        result.language = all(primary_language(g.language) == primary_language(one.language) for g, one in same)
        result.splits = all(_splits_right(g, one) for g, one in same)
        told = [_labels_right(g, one) for g, one in same if one.labels is not None and g.labels is not None]
        result.labels = all(told) if told else None
    return result


def _is_right(guess: Corpus, right: Corpus) -> bool:
    """Whether kind and columns are right of the files that both read. The order of texts does not count where a row has
    one label or score, and columns that a kind can do without need not be there."""
    if guess.kind != right.kind or not _files(guess) & _files(right) or guess.each != right.each:
        return False
    kind = kind_named(right.kind)
    mine, theirs = _columns(guess), _columns(right)
    if guess.format == "lines":
        mine, theirs = _paths(guess), _paths(right)
    if len(kind.column_sets) == 1 and "text_a" in kind.column_sets[0].needed and "start_a" not in theirs:
        mine, theirs = _unordered(mine), _unordered(theirs)
    optional = set(kind.column_set(right.columns).optional) - {"text_b", "text_c"}
    keys = {key for key in (*mine, *theirs) if key not in optional or (key in mine and key in theirs)}
    return all(mine.get(key) == theirs.get(key) for key in keys) or _lacks_answers(guess, mine, theirs)


def _lacks_answers(guess: Corpus, mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """A test split by itself may come without answers."""
    answers = kind_named(guess.kind).answers
    return set(guess.sources) == {"test"} and mine == {k: v for k, v in theirs.items() if k not in answers}


def _columns(corpus: Corpus) -> dict[str, Any]:
    return {name: tuple(list_columns(field)) for name, field in corpus.columns.items()}


def _paths(corpus: Corpus) -> dict[str, Any]:
    """Which file of the first split is which column."""
    first = next(iter(corpus.sources.values())).inputs[0]
    return {name: path.resolve() for name, path in first.paths.items()}


def _unordered(columns: Mapping[str, Any]) -> dict[str, Any]:
    texts = {value for name, value in columns.items() if name.startswith("text_")}
    return {"texts": texts, **{name: value for name, value in columns.items() if not name.startswith("text_")}}


def _files(corpus: Corpus, splits: Sequence[str] = ("train", "valid", "test")) -> set[Path]:
    return {path.resolve() for split, one in corpus.sources.items() if split in splits for path in one.files}


def _splits_right(guess: Corpus, right: Corpus) -> bool:
    """Whether each file that both read is of the same split."""
    mine = {
        path.resolve(): split
        for split, one in guess.sources.items()
        if one.cut is None or split == "train"
        for path in one.files
    }
    theirs = {path.resolve(): split for split, one in reversed(right.sources.items()) for path in one.files}
    return all(mine[path] == split for path, split in theirs.items() if path in mine)


def _labels_right(guess: Corpus, right: Corpus) -> bool:
    """Whether the labels of the file are those that the right corpus maps, or has."""
    labels = right.labels or ()
    raw = {key for key, name in right.label_map.items() if name in labels}
    raw |= {label for label in labels if label not in right.label_map.values()}
    return set(guess.labels or ()) <= {*raw, *right.drop_labels, *labels}


def _shown(corpus: Corpus) -> str:
    return str({name: value for name, value in corpus.columns.items() if not isinstance(value, tuple) or value})
