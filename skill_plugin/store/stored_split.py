"""The binarised rows of one split, of any kind.

Axes: n rows, m members of all rows together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError, counted
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.indexed_file import IndexedFile
from skill_plugin.store.row_storage import RowStorage
from skill_plugin.store.text_rows import TextRows
from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.windows import Counts


@dataclass(frozen=True, eq=False)
class StoredSplit:
    """The rows of a split, which are read from files when they are asked for.

    Attributes:
        storage: the storage of the kind.
        texts: a file for each text of a row; it gives ids without special tokens.
        members: the file of all members end to end, and the number of each row's first member [n + 1]; None if rows
            have no members.
        arrays: a file for each array of the kind.
        labels: the label ids of each row; None if the split has no labels.
        scores: the scores of a regression [n], or None.
        original: the original texts; None in a folder that fairseq-preprocess wrote.
        answered: whether the right answers are known.
        verified: whether the files are known to be as ``prepare`` wrote them; if not, every row is checked
            (``RowStorage.row_fault``).
        prepared: how many rows ``prepare`` wrote, and what is the same for the same rows
            (``CorpusManifest.identity``); None in a folder that fairseq-preprocess wrote.
        numbers: the number that each row has in the files, of a part of a split [n]; None for all rows.
    """

    storage: RowStorage
    texts: tuple[IndexedFile, ...]
    members: tuple[IndexedFile, Counts] | None = None
    arrays: Mapping[str, IndexedFile] = field(default_factory=dict)
    labels: LabelRows | None = None
    scores: npt.NDArray[np.float64] | None = None
    original: TextRows | None = None
    answered: bool = True
    verified: bool = False
    prepared: tuple[int, str] | None = None
    numbers: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.texts[0]) if self.texts else len(self.members[1]) - 1 if self.members else 0

    def __getitem__(self, row: int) -> EncodedRow:
        """The row with this number.

        Raises:
            InputError: the row is damaged.
        """
        arrays = {name: np.asarray(file[row], np.int32) for name, file in self.arrays.items()}
        if self.labels is not None:
            arrays["label"] = self.labels[row]
        members: tuple[npt.NDArray[np.int32], ...] = ()
        if self.members is not None:
            file, starts = self.members
            members = tuple(np.asarray(file[i], np.int32) for i in range(int(starts[row]), int(starts[row + 1])))
        score = None if self.scores is None else float(self.scores[row])
        found = EncodedRow(tuple(np.asarray(text[row], np.int32) for text in self.texts), members, arrays, score)
        if not self.verified and (fault := self.storage.row_fault(found)):
            files = f"{self._prefix(fault.array)}.bin", f"{self._prefix(fault.other)}.bin"
            number = row if self.numbers is None else int(self.numbers[row])
            raise InputError(f"row {number}: {fault.message}; this file is damaged, or {files[1]}", files[0])
        return found

    def take(self, rows: npt.NDArray[np.int64]) -> StoredSplit:
        """Some of the rows, to be learned: without the original texts, which only scoring needs."""
        members = None
        if self.members is not None:
            file, starts = self.members
            counts = np.diff(starts)[rows]
            ends = np.cumsum(counts)
            within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
            members = file.take(np.repeat(starts[rows], counts) + within), np.concatenate([[0], ends]).astype(np.int64)
        return replace(
            self,
            texts=tuple(text.take(rows) for text in self.texts),
            members=members,
            arrays={name: file.take(rows) for name, file in self.arrays.items()},
            labels=None if self.labels is None else replace(self.labels, file=self.labels.file.take(rows)),
            scores=None if self.scores is None else self.scores[rows],
            original=None,
            numbers=rows if self.numbers is None else self.numbers[rows],
        )

    def row(self, number: int, epoch: int) -> EncodedRow:
        """The row with this number in an epoch: some splits draw their rows anew in each epoch."""
        return self[number]

    def _prefix(self, part: str) -> str:
        if part == "label":
            assert self.labels is not None
            return self.labels.file.prefix
        if part == "members":
            assert self.members is not None
            return self.members[0].prefix
        return self.texts[-1].prefix if part == "texts" else self.arrays[part].prefix

    @cached_property
    def sizes(self) -> RowSizes:
        """The number of tokens of the texts and members of every row."""
        texts = np.empty((len(self.texts), len(self)), np.int64)
        for text, sizes in zip(self.texts, texts, strict=True):
            np.subtract(text.sizes, text.cut, out=sizes)
        if self.members is None:
            return RowSizes.of_texts(texts)
        return RowSizes(texts, self.member_sizes, self.members[1])

    @cached_property
    def member_sizes(self) -> Counts:
        """The number of tokens of every member [m]."""
        assert self.members is not None
        return np.asarray(self.members[0].sizes, np.int64) - self.members[0].cut

    def example(self, row: int) -> Example:
        """The original texts of a row.

        Raises:
            InputError: there are no original texts, or the file is damaged.
        """
        if self.original is None:
            folder = Path(self.texts[0].prefix).parents[1]
            raise InputError("has no original texts, on which this kind is scored: 'skill-plugin prepare'", folder)
        example = self.original[row]
        if not self.verified and self.texts and (fault := self._example_fault(example, self[row])):
            beside = [f"{file.prefix}.bin" for file in (*self.texts, *self.arrays.values())]
            message = f"{fault}; this file is damaged, or one of {', '.join(beside)}"
            raise InputError(message, self.original.path, row + 1)
        return example

    def _example_fault(self, example: Example, row: EncodedRow) -> str | None:
        if len(example.texts) != len(row.texts):
            return f"holds {counted(len(example.texts), 'text')}, expected {len(row.texts)}"
        return self.storage.example_fault(example, row)


@dataclass(frozen=True, eq=False)
class LabelRows:
    """The labels of rows, as indices into the labels that were asked for; -1 for a label that is not among them.

    Attributes:
        file: the labels as ids of fairseq's dictionary.
        table: the index for each id of fairseq's dictionary.
    """

    file: IndexedFile
    table: npt.NDArray[np.int32]

    def __getitem__(self, row: int) -> npt.NDArray[np.int32]:
        return self.table[self.file[row]]

    def counts(self, labels: int) -> npt.NDArray[np.int64]:
        """How often each of so many labels occurs [labels]."""
        whole = self.file.chosen is None
        ids = self.file.values() if whole else np.concatenate([self.file[row] for row in range(len(self.file))])
        places = self.table[ids]
        return np.bincount(places[places >= 0], minlength=labels).astype(np.int64)
