"""Reads all splits of a corpus and its labels, and finds the faults that no split shows alone."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.errors import InputError, counted, listing
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.cut_rows import UndividedError
from skill_plugin.readers.example import Fault
from skill_plugin.readers.other_headers import note_other_headers
from skill_plugin.readers.read_split import divide_train_rows, find_labels, read_split
from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.split_data import SplitData
from skill_plugin.readers.split_rows import KeptRows, count_rows, keep_rows
from skill_plugin.spec import CorporaFile, Corpus
from skill_plugin.spec.labels import find_positive_problem


@dataclass
class CorpusData:
    """The data of a corpus.

    Attributes:
        labels: None if the kind has no labels, or a fault leaves them unknown.
        trained: how many rows of train are trained on, where that is a part; None for all, or where a row is at fault.
    """

    corpus: Corpus
    splits: dict[str, SplitData]
    labels: tuple[str, ...] | None
    faults: list[Fault]
    trained: int | None = None


class CorpusReader:
    """Reads the corpora of one corpora file.

    A train split from which several corpora take their labels is read once. If corpora are read in the order of the
    file, each file of a mix, and each file that is divided into splits, is read once too; its rows are kept until its
    corpus has been read.
    """

    def __init__(self, corpora_file: CorporaFile) -> None:
        self.corpora_file = corpora_file
        self.labels_of: dict[str, tuple[str, ...] | None] = {}
        self.kept: dict[str, list[KeptRows]] = {}  # by corpus: rows of train that are gone through more than once
        self.rows_of: dict[str, int | None] = {}  # by corpus of a mix: of train; None = it cannot be read to its end
        self.compared: set[str] = set()  # corpora of mixes

    def read(self, corpus: Corpus) -> CorpusData:
        """Reads all splits of a corpus. Labels of valid and test that train lacks are faults."""
        try:
            return self._read(corpus)
        finally:
            self.kept.pop(corpus.name, None)

    def _read(self, corpus: Corpus) -> CorpusData:
        splits: dict[str, SplitData] = {}
        faults: list[Fault] = []
        kept = self.keep(corpus)
        if "train" in corpus.sources and kept is None:
            splits["train"] = read_split(corpus, "train")
        labels = self.labels(corpus, splits.get("train"), faults)
        if corpus.part is not None:
            self.check_mix(corpus, faults)
        try:
            divided = divide_train_rows(corpus, kept)
        except UndividedError as error:  # of all splits alike
            message = f"corpus {corpus.name!r}: split: {error}"
            faults.append(Fault(str(corpus.file), error.line, message))
            return CorpusData(corpus, {name: SplitData() for name in corpus.sources}, labels, faults)
        for name in corpus.sources:
            if name not in splits:  # the labels of a part of train are those of all its rows
                of_train = name == "train" or corpus.sources[name].cut is not None
                splits[name] = read_split(corpus, name, labels, divided, kept if of_train else None)
        told = splits["train"].faults if divided is not None else []  # what the splits of one file have in common
        faults += [f for name, split in splits.items() for f in split.faults if name == "train" or f not in told]
        for name, notice in note_other_headers(corpus):
            splits[name].notices.append(notice)
        if labels is not None:
            self.check_labels(corpus, labels, faults)
        trained = _check_train(corpus, splits["train"], faults) if "train" in splits and not faults else None
        return CorpusData(corpus, splits, labels, faults, trained)

    def labels(self, corpus: Corpus, train: SplitData | None, faults: list[Fault]) -> tuple[str, ...] | None:
        """The labels in the order of their ids: the corpus's own, or those of the one whose head it shares."""
        if not kind_named(corpus.kind).has_labels:
            return None
        source = self.corpora_file.labels_from(corpus)
        if source.name not in self.labels_of:
            try:
                if train is None or source.name != corpus.name:
                    known = source.labels is not None or "train" not in source.sources
                    train = None if known else self.all_of_train(source)
                self.labels_of[source.name] = find_labels(source, train) or None
            except InputError as error:
                faults.append(Fault(error.file or "", error.line, error.message))
                self.labels_of[source.name] = None
        self.labels_of[corpus.name] = self.labels_of[source.name]
        return self.labels_of[corpus.name]

    def labels_or_fault(self, corpus: Corpus) -> tuple[str, ...]:
        """The labels of a corpus, without reading its other splits; () if its kind has none.

        Raises:
            InputError: the labels are unknown.
        """
        if not kind_named(corpus.kind).has_labels:
            return ()
        faults: list[Fault] = []
        labels = self.labels(corpus, None, faults)
        if labels is None:
            fault = (
                faults[0] if faults else Fault(str(corpus.file), corpus.line, f"corpus {corpus.name!r} has no labels")
            )
            raise InputError(fault.message, fault.file or None, fault.line)
        return labels

    def keep(self, corpus: Corpus) -> list[KeptRows] | None:
        """Keeps the rows of train if they are read several times: of a mix, or to make splits. Otherwise None."""
        train = corpus.sources.get("train")
        if train is None or (train.part is None and train.cut is None):
            return None
        if corpus.name not in self.kept:
            self.kept[corpus.name] = keep_rows(corpus, "train")
            self.count(corpus)
        return self.kept[corpus.name]

    def all_of_train(self, corpus: Corpus) -> SplitData:
        """Reads all rows of the train file, also if it is of a mix, or other splits are made of it."""
        train = corpus.sources["train"].model_copy(update={"part": None, "cut": None})
        whole = corpus.model_copy(update={"sources": {**corpus.sources, "train": train}})
        split = read_split(whole, "train", kept=self.keep(corpus))
        if corpus.name not in self.corpora_file.corpora:  # nobody reads it after this
            self.kept.pop(corpus.name, None)
        return split

    def count(self, corpus: Corpus) -> int | None:
        """Counts the rows of train, good or bad; None if the file cannot be read to its end, which is a fault."""
        if corpus.name not in self.rows_of:
            try:
                self.rows_of[corpus.name] = count_rows(corpus, "train", self.kept.get(corpus.name))
            except (OSError, UnreadableError):
                self.rows_of[corpus.name] = None
        return self.rows_of[corpus.name]

    def check_mix(self, corpus: Corpus, faults: list[Fault]) -> None:
        """Checks that all files of a mix have equally many rows, also those of corpora that are not selected."""
        assert corpus.part is not None
        parts = self.corpora_file.mixed(corpus.part.mix)
        selected = self.corpora_file.corpora
        mine = [one for one in parts if one.name == corpus.name or one.name not in selected]
        for one in parts[:1] + mine:
            self.count(one)
        counts = {one.name: rows for one in parts if (rows := self.rows_of.get(one.name)) is not None}
        for one in mine:
            (first, rows), found = next(iter(counts.items()), ("", None)), counts.get(one.name)
            if found is not None and found != rows and one.name not in self.compared:
                message = (
                    f"corpus {one.name!r} has {counted(found, 'row')} in train and {first!r} has {rows:,}; row n of a "
                    "mix's files must be the same one in each"
                )
                faults.append(Fault(str(one.file), one.sources["train"].line, message))
            self.compared.add(one.name)

    def check_labels(self, corpus: Corpus, labels: tuple[str, ...], faults: list[Fault]) -> None:
        """Checks labels that were read from train, which the corpora file alone cannot show."""
        problem, kind = None, kind_named(corpus.kind)
        if len(labels) < kind.fewest_labels and not faults:
            problem = f"has the one label {labels[0]!r} in train; expected two or more"
        elif corpus.positive_label is not None and corpus.positive_label not in labels:
            problem = f"has the positive_label {corpus.positive_label!r}; expected one of: {listing(labels)}"
        elif unnamed := find_positive_problem(kind, corpus.metric, corpus.positive_label, labels):
            problem = unnamed
        elif not faults and (fault := kind.labels_fault(corpus, labels)):
            problem = fault
        else:
            for other in self.corpora_file.every_corpus.values():
                theirs = self.labels_of.get(other.name)
                if other.head == corpus.head and theirs is not None and theirs != labels and not faults:
                    problem = (
                        f"shares the head {corpus.head!r} with {other.name!r} but not its labels: "
                        f"[{listing([*map(repr, labels)])}]; expected [{listing([*map(repr, theirs)])}], in this order"
                    )
                    break
        if problem is not None:
            faults.append(Fault(str(corpus.file), corpus.line, f"corpus {corpus.name!r} {problem}"))


def _check_train(corpus: Corpus, train: SplitData, faults: list[Fault]) -> int | None:
    """Checks rows of train that are good one by one, and counts those that are trained on; None for all."""
    if problem := kind_named(corpus.kind).train_fault(corpus, train.examples):
        faults.append(Fault(str(corpus.file), corpus.line, f"corpus {corpus.name!r} {problem}"))
    elif corpus.train_rows is not None:
        try:
            return corpus.train_rows.count(len(train.examples))
        except ValueError as error:
            message = f"corpus {corpus.name!r}: train_rows: {error}"
            faults.append(Fault(str(corpus.file), corpus.train_rows.line, message))
    return None
