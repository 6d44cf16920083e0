"""The labels of guessed corpora, as our own readers find them in all rows of all splits."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.guessing.corpora_text import corpora_text
from skill_plugin.guessing.corpus_guess import CorpusGuess, Guessed
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers import read_split
from skill_plugin.readers.cut_rows import UndividedError
from skill_plugin.readers.read_split import divide_train_rows
from skill_plugin.spec.corpora_file import parse_corpora_file
from skill_plugin.spec.corpus import Corpus

MOST = 150  # labels that are written down; where there are more, train says which there are


def add_labels(found: Guessed, folder: str, file: Path) -> None:
    """Writes down the labels of each corpus, in the order that their kind gives them.

    Args:
        found: corpora of kinds with labels get the key ``labels``.
        folder: with the raw files, as the person named it.
        file: the corpora file that will be written.
    """
    _read_each(found, folder, file)
    if all(corpus.open for corpus in found.corpora):
        return
    read = parse_corpora_file(corpora_text(found, folder), file).corpora
    for guess in found.corpora:
        if "split" in guess.keys and guess.name in read and (problem := _division_fault(read[guess.name])):
            del guess.keys["split"]
            guess.doubts.append(f"there is no valid, and train cannot be divided: {problem}")
    read = parse_corpora_file(corpora_text(found, folder), file).corpora
    for guess in found.corpora:
        corpus = read.get(guess.name)
        if corpus is None or "as" in guess.keys or "labels" in guess.keys or not kind_named(corpus.kind).has_labels:
            continue
        counts = _counts(corpus)
        _tell(guess, corpus, counts)


def _read_each(found: Guessed, folder: str, file: Path) -> None:
    """Opens corpora again that the reader of corpora files refuses, with its words."""
    named = {corpus.name: corpus for corpus in found.corpora}
    for corpus in found.corpora:
        base = named.get(str(corpus.keys.get("as", ("",))[0]))
        if corpus.open or (base is not None and base.open):
            continue
        try:
            parse_corpora_file(corpora_text(Guessed([*([base] if base else []), corpus]), folder), file)
        except InputError as error:
            corpus.open.append(error.message)


def _division_fault(corpus: Corpus) -> str | None:
    """Why valid cannot be made of train."""
    try:
        divided = divide_train_rows(corpus)
    except UndividedError as error:
        return str(error)
    return None if divided and "valid" in divided else "no row would be left for valid"


def _counts(corpus: Corpus) -> dict[str, Counter[str]]:
    """How often each label occurs in each split that is a file of its own."""
    return {
        split: Counter(read_split(corpus, split).examples.label_counts())
        for split, source in corpus.sources.items()
        if source.cut is None or split == "train"
    }


def _tell(guess: CorpusGuess, corpus: Corpus, counts: dict[str, Counter[str]]) -> None:
    every = kind_named(corpus.kind).sort_labels(set().union(*counts.values()))
    train = counts.get("train", Counter())
    if not every:
        guess.open.append("labels: no row has one")
        return
    if len(every) < kind_named(corpus.kind).fewest_labels:
        guess.open.append(f"labels: there is the one label {every[0]!r}, from which nothing can be learned")
        return
    missing = [label for label in every if "train" in counts and label not in train]
    if len(every) <= MOST or "train" not in counts or missing:
        how_often = ", ".join(f"{label} {count}" for label, count in train.most_common(4)) + (
            " …" if len(train) > 4 else ""
        )
        why = f"rows of train: {how_often}" if train else "found in its rows; there is no train"
        guess.keys["labels"] = (list(every), why)
    if missing:
        guess.doubts.append(f"train lacks labels that other splits have: {', '.join(missing[:10])}")
    test = counts.get("test", Counter())
    if len(test) == 1 and len(train) > 1 and test.total() > 10:
        guess.doubts.append(f"all rows of test have the label {next(iter(test))!r}, which may be no answer")
