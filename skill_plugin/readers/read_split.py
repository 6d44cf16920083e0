"""The rows of one split as examples, with an account of every row that is left out."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.readers.delimited import read_delimited
from skill_plugin.readers.example import Example, Fault, Split
from skill_plugin.readers.json_rows import read_json
from skill_plugin.readers.json_values import describe
from skill_plugin.readers.jsonl import read_jsonl
from skill_plugin.readers.lines import read_parallel
from skill_plugin.readers.row import BadRow, Notice, Row, RowStream, UnreadableError, Wanted
from skill_plugin.spec.corpus import Corpus, Source

READERS = {"tsv": read_delimited, "csv": read_delimited, "jsonl": read_jsonl, "json": read_json}
LISTED = 20  # faults of one reason that are listed one by one; a wrong separator should not print a million lines
_HALF = re.compile("[\ud800-\udfff]")

__all__ = ["Example", "Fault", "Split", "corpus_labels", "read_split"]


def read_split(corpus: Corpus, split: str, labels: Sequence[str] | None = None) -> Split:
    """Reads one split of a corpus.

    A row is left out, and counted by reason, when ``where`` or ``drop_labels`` says so, and when it is broken; a broken
    row is also a fault unless the corpus says ``on_bad_row: skip``. An unknown label is always a fault.

    Args:
        split: ``train``, ``valid`` or ``test``; one that the corpus has.
        labels: the labels that may occur; by default the corpus's ``labels``, or any if it names none. For valid and
            test of such a corpus give ``corpus_labels(corpus, train)``.
    """
    source = corpus.sources[split]  # type: ignore[index]
    collector = _Collector(corpus, split, source, corpus.labels if labels is None else labels)
    if collector.files_are_there():
        try:
            for item in _stream(corpus, source, split):
                collector.take(item)
        except UnreadableError as error:
            collector.unreadable(error)
        except OSError as error:
            collector.cannot_open(str(error.filename or ""), error)
        collector.finish()
    return collector.result


def corpus_labels(corpus: Corpus, train: Split | None) -> tuple[str, ...]:
    """The labels in the order of their ids: those of the corpora file, or the sorted labels of train.

    Raises:
        InputError: neither is there.
    """
    if corpus.labels is not None:
        return corpus.labels
    if train is None:
        message = f"corpus {corpus.name!r} has neither 'labels' nor a train split to read them from"
        raise InputError(message, corpus.file, corpus.line)
    return tuple(sorted({example.answer for example in train.examples if isinstance(example.answer, str)}))


def shown(path: Path) -> str:
    """The path as messages show it: without ``a/../``, where that names the same file."""
    tidy = os.path.normpath(path)
    try:
        return tidy if os.path.samefile(path, tidy) else str(path)
    except OSError:
        return tidy


def _stream(corpus: Corpus, source: Source, split: str) -> RowStream:
    # a test split may come without labels, and the label column of a corpus with only a test split need not be named
    optional = tuple(ref for name, ref in corpus.columns.items() if name == "label" and split == "test")
    required = [ref for name, ref in corpus.columns.items() if name in corpus.text_columns or name == "label"]
    required += [ref for ref in corpus.where if ref not in required]
    optional = tuple(ref for ref in optional if ref not in corpus.where)
    wanted = Wanted(tuple(ref for ref in required if ref not in optional), optional)
    if corpus.format == "lines":
        return read_parallel(corpus, source.paths, wanted)
    if corpus.format not in READERS or source.path is None:
        message = f"corpus {corpus.name!r} has format {corpus.format!r}, which this release does not read yet"
        raise InputError(message, corpus.file, corpus.line)
    return READERS[corpus.format](corpus, source.path, wanted)


class _Collector:
    """Turns rows into examples, and keeps account of the others."""

    def __init__(self, corpus: Corpus, split: str, source: Source, labels: Sequence[str] | None) -> None:
        self.corpus = corpus
        self.split = split
        self.source = source
        self.labels = labels
        self.known = None if labels is None else frozenset(labels)
        self.result = Split()
        self.faults_of: Counter[str] = Counter()
        self.unlisted: dict[str, Fault] = {}  # reason -> the first fault that is not listed
        self.unlabelled: list[int] = []  # places among the examples
        self.empty: list[int] = []  # lines of rows whose first text is empty
        self.names: dict[Path, str] = {}
        self.first_file = self.name(source.files[0] if source.path is not None else self.text_file())

    def text_file(self) -> Path:
        names = self.corpus.text_columns or tuple(self.source.paths)
        return self.source.paths[names[0]]

    def name(self, path: Path | None) -> str:
        if path is None:
            return self.first_file
        if path not in self.names:
            self.names[path] = shown(path)
        return self.names[path]

    def files_are_there(self) -> bool:
        """Whether all files can be opened and hold something; else the faults are noted."""
        for path in self.source.files:
            try:
                with open(path, "rb") as file:
                    if not file.read(1):
                        self.result.faults.append(Fault(self.name(path), 1, "the file is empty"))
            except OSError as error:
                self.cannot_open(str(path), error)
        return not self.result.faults

    def cannot_open(self, path: str, error: OSError) -> None:
        message = f"corpus {self.corpus.name!r}: {self.split}: cannot read {shown(Path(path))}: {error.strerror}"
        self.result.faults.append(Fault(str(self.corpus.file), self.source.line, message))

    def unreadable(self, error: UnreadableError) -> None:
        reason = "file not readable to its end"
        self.result.skipped.update({reason: error.lost} if error.lost else {})
        self.result.faults.append(Fault(self.name(error.file), error.line, error.message))

    def take(self, item: Row | BadRow | Notice) -> None:
        if isinstance(item, Row):
            self.take_row(item)
        elif isinstance(item, BadRow):
            self.leave_out(item.line, item.reason, item.message, item.file)
        else:
            self.result.notices.append(Fault(self.name(item.file), item.line, item.message))

    def leave_out(
        self, line: int, reason: str, message: str, file: Path | None = None, always_a_fault: bool = False
    ) -> None:
        """Counts a broken row, and lists it as a fault unless such rows are to be skipped."""
        self.result.skipped[reason] += 1
        if self.corpus.on_bad_row == "skip" and not always_a_fault:
            return
        self.faults_of[reason] += 1
        fault = Fault(self.name(file), line, message)
        if self.faults_of[reason] <= LISTED:
            self.result.faults.append(fault)
        else:
            self.unlisted.setdefault(reason, fault)

    def take_row(self, row: Row) -> None:
        for column, allowed in self.corpus.where.items():
            value, problem = _scalar(row.values[column])
            if problem:
                message = f"the column {column!r} of 'where' is {problem}"
                return self.leave_out(row.line, "where cannot be decided", message, self.source.file_of(column))
            if value not in allowed:
                self.result.skipped[f"where {column}"] += 1
                return None
        raw, problem = self.raw_label(row)
        label = None if raw is None else self.corpus.label_map.get(raw, raw)
        if raw is not None and (raw in self.corpus.drop_labels or label in self.corpus.drop_labels):
            self.result.skipped[f"dropped label {raw!r}"] += 1
            return None
        if problem:
            return self.leave_out(row.line, "unusable label", problem, self.label_file())
        texts = self.texts(row)
        if texts is None:
            return None
        if label is None and self.split != "test":
            message = f"no label; expected {_one_of(self.labels)}"
            return self.leave_out(row.line, "missing label", message, self.label_file())
        if label is not None and self.known is not None and label not in self.known:
            return self.unknown_label(row, raw or "", label)
        if label is None:
            self.unlabelled.append(len(self.result.examples))
        if not texts[0].strip():
            self.empty.append(row.line)
        self.result.examples.append(Example(texts, label, self.first_file, row.line))
        return None

    def label_file(self) -> Path | None:
        if self.source.path is None and "label" in self.source.paths:
            return self.source.paths["label"]
        return None

    def raw_label(self, row: Row) -> tuple[str | None, str | None]:
        """The label as in the file, without outer space, or None if it is missing; and what is wrong with it."""
        column = self.corpus.columns.get("label")
        if column is None or column not in row.values:
            return None, None
        text, problem = _scalar(row.values[column])
        if problem:
            return None, None if row.values[
                column
            ] is None else f"the label is {problem}; expected a string or a whole number"
        text = text.strip()
        return text or None, None

    def texts(self, row: Row) -> tuple[str, ...] | None:
        texts = []
        for name in self.corpus.text_columns:
            column = self.corpus.columns[name]
            text = row.values[column]
            if not isinstance(text, str):
                message = f"the text in column {column!r} is {describe(text)}; expected a string"
                self.leave_out(row.line, "not text", message, self.source.file_of(column))
                return None
            if not text.isascii() and _HALF.search(text):
                message = f"the text in column {column!r} holds half a surrogate pair, which is no character"
                self.leave_out(row.line, "half a surrogate pair", message, self.source.file_of(column))
                return None
            texts.append(text)
        return tuple(texts)

    def unknown_label(self, row: Row, raw: str, label: str) -> None:
        mapped = f" (mapped from {raw!r})" if raw != label else ""
        message = f"unknown label {label!r}{mapped}{nearest(label, self.labels or ())}"
        self.leave_out(row.line, f"unknown label {label!r}", message, self.label_file(), always_a_fault=True)

    def finish(self) -> None:
        """What can only be said when all rows are read."""
        examples = self.result.examples
        if self.unlabelled and len(self.unlabelled) < len(examples):
            for place in self.unlabelled:
                message = f"no label, though other rows of the split have one; expected {_one_of(self.labels)}"
                self.leave_out(examples[place].line, "missing label", message, self.label_file())
            gone = set(self.unlabelled)
            self.result.examples = [example for place, example in enumerate(examples) if place not in gone]
        for reason, fault in self.unlisted.items():
            more = self.faults_of[reason] - LISTED - 1
            also = f" (and {more} more rows: {reason})" if more else ""
            self.result.faults.append(Fault(fault.file, fault.line, fault.message + also))
        self.result.faults.sort(key=lambda fault: (fault.file, fault.line or 0))
        if self.empty:
            message = f"rows with an empty {self.corpus.text_columns[0]}: {len(self.empty)}, the first one here"
            self.result.notices.append(Fault(self.first_file, self.empty[0], message))
        if not self.result.examples and not self.result.faults:
            left_out = ", ".join(f"{count} {reason}" for reason, count in self.result.skipped.items())
            message = f"no row is left{': ' + left_out if left_out else '; the file holds none'}"
            self.result.faults.append(Fault(self.first_file, 1, message))


def _scalar(value: Any) -> tuple[str, str | None]:
    """A label or the value of ``where`` as text (100 -> "100", true -> "true"), and what is wrong with it."""
    if isinstance(value, str):
        return value, "half a surrogate pair" if not value.isascii() and _HALF.search(value) else None
    if isinstance(value, int):
        return describe(value) if isinstance(value, bool) else str(value), None
    return "", describe(value)


def _one_of(labels: Sequence[str] | None) -> str:
    return "a label" if not labels else f"one of: {', '.join(labels)}"
