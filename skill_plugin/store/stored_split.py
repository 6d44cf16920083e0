"""The binarised rows of one split, of any kind.

Axes: n rows, m members of all rows together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.indexed_file import IndexedFile
from skill_plugin.store.row_storage import RowStorage
from skill_plugin.store.text_rows import TextRows
from skill_plugin.text.sequences.row_sizes import RowSizes

Sizes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StoredSplit:
    """Rows that are read as they are asked for.

    Attributes:
        storage: of the kind.
        texts: one file for each text of a row; an access gives its ids without special tokens.
        members: the file of all rows' members end to end, and for n rows where theirs begin [n + 1]; None without.
        arrays: the files of the kind's arrays.
        labels: label ids of a row by its number, None for a split without labels.
        scores: of a regression [n], or None.
        text_file: where the original texts are; there is none in a folder that fairseq-preprocess wrote.
        answered: whether the right answers are known.
        verified: its files are those that ``prepare`` wrote; of others every row is looked at
            (``RowStorage.row_fault``).
    """

    storage: RowStorage
    texts: tuple[IndexedFile, ...]
    members: tuple[IndexedFile, Sizes] | None = None
    arrays: Mapping[str, IndexedFile] = field(default_factory=dict)
    labels: LabelRows | None = None
    scores: npt.NDArray[np.float64] | None = None
    text_file: Path | None = None
    answered: bool = True
    verified: bool = False

    def __len__(self) -> int:
        return len(self.texts[0]) if self.texts else len(self.members[1]) - 1 if self.members else 0

    def __getitem__(self, row: int) -> EncodedRow:
        """A row.

        Raises:
            InputError: one that cannot be.
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
            raise InputError(f"row {row}: {fault.message}; this file is damaged, or {files[1]}", files[0])
        return found

    def row(self, number: int, epoch: int) -> EncodedRow:
        """A row as it is in an epoch, for splits that draw theirs anew in each; others have the same always."""
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
        """Tokens of the texts and members of every row."""
        texts = [np.asarray(text.sizes, np.int64) - text.cut for text in self.texts]
        if self.members is None:
            return RowSizes.of_texts(np.array(texts, np.int64))
        starts = self.members[1]
        return RowSizes(np.array(texts, np.int64).reshape(len(texts), len(starts) - 1), self.member_sizes, starts)

    @cached_property
    def member_sizes(self) -> Sizes:
        """Tokens of every member [m]."""
        assert self.members is not None
        return np.asarray(self.members[0].sizes, np.int64) - self.members[0].cut

    @cached_property
    def _text_rows(self) -> TextRows:
        if self.text_file is None:
            folder = Path(self.texts[0].prefix).parents[1]
            raise InputError("has no original texts, on which this kind is scored: 'skill-plugin prepare'", folder)
        return TextRows(self.text_file, len(self))

    def example(self, row: int) -> Example:
        """The original texts of a row.

        Raises:
            InputError: there are none, or the file is damaged.
        """
        example = self._text_rows[row]
        if not self.verified and self.texts and (fault := self._example_fault(example, self[row])):
            beside = [f"{file.prefix}.bin" for file in (*self.texts, *self.arrays.values())]
            message = f"{fault}; this file is damaged, or one of {', '.join(beside)}"
            raise InputError(message, self._text_rows.path, row + 1)
        return example

    def _example_fault(self, example: Example, row: EncodedRow) -> str | None:
        if len(example.texts) != len(row.texts):
            return f"holds {len(example.texts)} texts, expected {len(row.texts)}"
        return self.storage.example_fault(example, row)


@dataclass(frozen=True, eq=False)
class LabelRows:
    """Labels of rows as indices into the labels that were asked for; -1 for one that is not among them.

    Attributes:
        file: ids of fairseq's dictionary.
        table: index by fairseq's id.
    """

    file: IndexedFile
    table: npt.NDArray[np.int32]

    def __getitem__(self, row: int) -> npt.NDArray[np.int32]:
        return self.table[self.file[row]]
