"""The rows of a split on their way to examples, and an account of every row that is left out."""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from skill_plugin.errors import counted
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.cell_values import expected_label, read_scalar
from skill_plugin.readers.example import Example, Fault
from skill_plugin.readers.example_rows import ExampleBlock, ExampleRows
from skill_plugin.readers.item_reader import LISTED, PLACEHOLDERS
from skill_plugin.readers.left_out import DroppedError, RejectedError
from skill_plugin.readers.row import BadRow, FileLine, FileNotice, Row, RowRun, UnreadableError
from skill_plugin.readers.split_data import SplitData
from skill_plugin.readers.split_reading import SplitReading
from skill_plugin.spec.corpus import Corpus, RawFiles
from skill_plugin.spec.formats import FORMATS
from skill_plugin.spec.sources import find_unset_variable


class SplitCollector:
    """Turns rows into examples, and keeps account of the others.

    Args:
        corpus: of which the rows are.
        split: train, valid or test.
        labels: that may occur; None for any.

    Attributes:
        result: what was collected; whole after ``finish``.
    """

    def __init__(self, corpus: Corpus, split: str, labels: Sequence[str] | None) -> None:
        self.corpus = corpus
        self.source = corpus.sources[split]
        self.labels = labels
        self.split = split
        self.result = SplitData()
        self.faults_of: Counter[str] = Counter()
        self.unlisted: dict[str, Fault] = {}  # reason -> the first fault that is not listed
        self.names: dict[Path, str] = {}
        self.first_text = kind_named(corpus.kind).column_set(corpus.columns).needed[0]
        self.origin = self.source.inputs[0]
        self.first_file = self.name(self.origin.file_of(self.first_text))
        self.reading = SplitReading(corpus, split, labels, self.first_file)
        self.items = kind_named(corpus.kind).reader(self.reading)

    def begin(self, origin: RawFiles) -> None:
        """Begins the next file."""
        self.origin = origin
        self.reading.file = self.name(origin.file_of(self.first_text))
        self.items.begin_file()

    def placed(self, line: int) -> int:
        """A line number that knows its file, if the split has several files."""
        return line if len(self.source.inputs) == 1 else FileLine(line, self.origin)

    def origin_of(self, line: int | None) -> RawFiles:
        """The input that a line is of, in a split of several; else the one that is being read."""
        return line.origin if isinstance(line, FileLine) else self.origin

    def file_of(self, line: int | None) -> str:
        """The file of a line; of parallel files the one with the first text."""
        return self.name(self.origin_of(line).file_of(self.first_text))

    def name(self, path: Path) -> str:
        if path not in self.names:
            self.names[path] = tidy_path(path)
        return self.names[path]

    def files_are_there(self) -> bool:
        """Whether all files can be opened and are not empty; if not, the faults are noted."""
        for path in self.source.files:
            try:
                if _is_empty(path, FORMATS[self.corpus.format].folder):
                    self.result.faults.append(Fault(self.name(path), 1, "the file is empty"))
            except OSError as error:
                self.cannot_open(str(path), error)
        return not self.result.faults

    def cannot_open(self, path: str, error: OSError) -> None:
        """A file of the split cannot be opened: a fault at its line of the corpora file."""
        variable = find_unset_variable(Path(path))
        why = error.strerror if variable is None else f"the environment variable {variable} is not set"
        message = f"corpus {self.corpus.name!r}: {self.split}: cannot read {tidy_path(Path(path))}: {why}"
        self.result.faults.append(Fault(str(self.corpus.file), self.source.line, message))

    def unreadable(self, error: UnreadableError) -> None:
        reason = "file not readable to its end"
        self.result.skipped.update({reason: error.lost} if error.lost else {})
        file = self.file_of(None) if error.file is None else self.name(error.file)
        self.result.faults.append(Fault(file, error.line, error.message))

    def take(self, item: Row | RowRun | BadRow | FileNotice) -> None:
        if isinstance(item, Row):
            self.take_row(item)
        elif isinstance(item, RowRun):
            self.take_run(item)
        elif isinstance(item, BadRow):
            self.leave_out(self.placed(item.line), item.reason, item.message, item.file)
        else:
            file = self.file_of(None) if item.file is None else self.name(item.file)
            self.result.notices.append(Fault(file, item.line, item.message))

    def take_run(self, run: RowRun) -> None:
        """Takes the ordinary rows of a run together, and the others one by one."""
        found = None if self.corpus.where else self.items.read_ordinary(run)
        if found is None:
            for row in run:
                self.take_row(row)
            return
        texts, answers, odd = found
        start = 0
        for end in (*odd, len(run)):
            if start < end:
                lines = list(range(run.line + start, run.line + end))
                files = [self.reading.file] * len(lines)
                self.result.examples.extend(ExampleBlock(texts[start:end], answers[start:end], files, lines))
            if end < len(run):
                self.take_row(run.row(end))
            start = end + 1

    def take_row(self, row: Row) -> None:
        """Makes an example of a row, or counts it as one that is left out."""
        if len(self.source.inputs) > 1:
            row = Row(self.placed(row.line), row.values, tuple(map(self.placed, row.lines)), row.group)
        for column, allowed in self.corpus.where.items():
            value, problem = read_scalar(row.values[column])
            if problem:
                message = f"the column {column!r} of 'where' is {problem}"
                return self.leave_out(row.line, "where cannot be decided", message, self.origin.file_of(column))
            if value not in allowed:
                self.result.skipped[f"where {column}"] += 1
                return None
        try:
            example = self.items.read(row)
        except DroppedError as reason:
            self.result.skipped[str(reason)] += 1
        except RejectedError as error:
            self.reject(row.line, error)
        else:
            if example is not None:
                self.keep(example)
        return None

    def keep(self, example: Example) -> None:
        if isinstance(example.line, FileLine):
            example = example._replace(file=self.file_of(example.line), line=int(example.line))
        self.result.examples.append(example)

    def reject(self, line: int, error: RejectedError) -> None:
        """Counts a row that the kind does not take; see ``leave_out``."""
        if error.quiet:
            self.result.skipped[error.reason] += 1
        else:
            line = error.line or line
            path = self.origin_of(line).paths.get(error.column or "")
            self.leave_out(line, error.reason, error.message, path, error.always_a_fault)

    def leave_out(
        self, line: int, reason: str, message: str, file: Path | None = None, always_a_fault: bool = False
    ) -> None:
        """Counts a broken row, and adds a fault unless the corpus says that such rows are skipped."""
        self.result.skipped[reason] += 1
        if self.corpus.on_bad_row == "skip" and not always_a_fault:
            return
        self.faults_of[reason] += 1
        fault = Fault(self.file_of(line) if file is None else self.name(file), int(line), message)
        if self.faults_of[reason] <= LISTED:
            self.result.faults.append(fault)
        else:
            self.unlisted.setdefault(reason, fault)

    def finish(self) -> None:
        """Does what is possible only when all rows have been read."""
        for item in self.items.finish():
            if isinstance(item, Example):
                self.keep(item)
            else:
                self.reject(*item)
        self.forget_placeholders()
        self.leave_out_unanswered()
        for reason, fault in self.unlisted.items():
            more = self.faults_of[reason] - LISTED - 1
            also = f" (and {counted(more, 'more row')}: {reason})" if more else ""
            self.result.faults.append(Fault(fault.file, fault.line, fault.message + also))
        self.result.faults.sort(key=lambda fault: (fault.file, fault.line or 0))
        self.add_notices()
        if not self.result.examples and not self.result.faults:
            left_out = ", ".join(f"{count} {reason}" for reason, count in self.result.skipped.items())
            message = f"no row is left{': ' + left_out if left_out else '; the file holds none'}"
            self.result.faults.append(Fault(self.first_file, 1, message))
        elif self.result.examples and (useless := self.items.useless(self.result.examples)):
            self.result.faults.append(Fault(self.first_file, 1, useless))

    def forget_placeholders(self) -> None:
        """Takes the answers out of a test split in which all answers are placeholders."""
        examples = self.result.examples
        if self.split == "test" and examples and self.items.only_placeholders(examples):
            self.reading.note(PLACEHOLDERS, examples[0].line, count=len(examples))
            self.result.examples = ExampleRows(example._replace(answer=None) for example in examples)

    def leave_out_unanswered(self) -> None:
        """Leaves out rows of a test split without an answer, if others have one."""
        examples = self.result.examples
        unanswered = examples.unanswered()
        if not kind_named(self.corpus.kind).answers or unanswered in (0, len(examples)):
            return
        answer = next(name for name in kind_named(self.corpus.kind).answers if name in self.corpus.columns)
        for example in examples:
            if example.answer is not None:
                continue
            message = f"no {answer}, though other rows of the split have one; expected {expected_label(self.labels)}"
            path = self.file_beside(example.file, answer)
            self.leave_out(example.line, f"missing {answer}", message, path)
        self.result.examples = ExampleRows(example for example in examples if example.answer is not None)

    def file_beside(self, file: str, column: str) -> Path:
        """The file with a column that belongs to a file of first texts."""
        origins = self.source.inputs
        origin = next((one for one in origins if self.name(one.file_of(self.first_text)) == file), origins[0])
        return origin.file_of(column if column in origin.paths else self.first_text)

    def add_notices(self) -> None:
        """Tells what was noted in reading, and which texts are empty, once each."""
        for message, note in self.reading.notes.items():
            detail = f" ({note.detail})" if note.detail else ""
            text = f"{message}: {note.count:,}, the first one here{detail}"
            self.result.notices.append(Fault(self.file_of(note.line), int(note.line), text))
        names = kind_named(self.corpus.kind).text_names(self.corpus)
        counts: Counter[str] = Counter()
        first: dict[str, tuple[str, int]] = {}  # by name, the file and line of the first row with an empty text
        for block in self.result.examples.blocks():
            for place, name in enumerate(names):
                texts = block.text_column(place)
                if all(map(str.strip, texts)):
                    continue
                empty = [number for number, text in enumerate(texts) if not text.strip()]
                counts[name] += len(empty)
                first.setdefault(name, (block.files[empty[0]], block.lines[empty[0]]))
        for name in names:
            if name in first:
                message = f"rows with an empty {name}: {counts[name]}, the first one here"
                self.result.notices.append(Fault(*first[name], message))


def tidy_path(path: Path) -> str:
    """The path for messages: without ``a/../``, if that names the same file."""
    if find_unset_variable(path) is not None:
        return str(path)
    tidy = os.path.normpath(path)
    try:
        return tidy if os.path.samefile(path, tidy) else str(path)
    except OSError:
        return tidy


def _is_empty(path: Path, may_be_folder: bool) -> bool:
    """Whether a file is empty. It is not opened, since what a named pipe gives would be lost.

    Raises:
        OSError: the file cannot be opened.
    """
    found = path.stat()
    if stat.S_ISDIR(found.st_mode) and not may_be_folder:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return stat.S_ISREG(found.st_mode) and found.st_size == 0
