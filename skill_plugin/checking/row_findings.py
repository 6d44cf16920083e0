"""What ``check`` finds in rows. This class is for texts with one label; other kinds override what differs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar

from skill_plugin.checking import label_signs
from skill_plugin.checking.contents import Contents
from skill_plugin.readers import Example
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.spec import Corpus

RowNotice = tuple[Example, str]  # the first row that a notice is about, and the message


class RowFindings:
    """Finds what is odd in the rows of one corpus.

    Args:
        corpus: the corpus.

    Attributes:
        row, rows: the words for one row and for several, in messages.
        label: the word for a label, in messages.
        conflict: the message about rows that ask what an earlier one asks but have another answer.
        overlap: the message about rows that train has too.
        accepts_others: whether different answers to the same question may all be right.
    """

    row: ClassVar[str] = "row"
    rows: ClassVar[str] = "rows"
    label: ClassVar[str] = "label"
    conflict: ClassVar[str] = "have the texts of an earlier row but another label"
    overlap: ClassVar[str] = "also occur in train"
    accepts_others: ClassVar[bool] = False

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def contents(self, examples: Sequence[Example], labels: Sequence[str]) -> Contents | None:
        """Counts what the rows of a split hold besides labels; None if there is nothing else.

        Args:
            examples: the rows of a split.
            labels: the labels of the corpus; those of the split if the corpus's are unknown.
        """
        return None

    def note_rows(self, examples: Sequence[Example], labels: Sequence[str]) -> Iterator[RowNotice]:
        """Notices about what is odd within single rows. Arguments as for ``contents``."""
        return iter(())

    def note_answers(self, split: str, examples: ExampleRows, labels: Sequence[str] | None) -> Iterator[RowNotice]:
        """Notices about answers that are probably none.

        Args:
            split: the name of the split.
            examples: its rows.
            labels: the labels of the corpus. If the corpora file names them, they are taken as intended.
        """
        if split != "train":
            if self.may_vary(labels):
                yield from label_signs.note_constant_answer(self.corpus, split, examples)
        elif self.corpus.labels is None and labels is not None:
            yield from self.note_labels(examples)

    def may_vary(self, labels: Sequence[str] | None) -> bool:
        """Whether it is odd if all rows have the same answer."""
        return labels is not None and len(labels) > 1

    def note_labels(self, examples: ExampleRows) -> Iterator[RowNotice]:
        """Notices about labels of train that are probably none."""
        yield from label_signs.note_missing_values(self.corpus, examples)
        yield from label_signs.note_header(self.corpus, examples)
        yield from label_signs.note_too_many_labels(self.corpus, examples)

    def claims(self, example: Example) -> Sequence[tuple[Hashable, Hashable]]:
        """The pairs (what is asked, answer) of a row; mostly one. Rows are compared by the hashes of these."""
        return [((example.texts, example.words, example.spans), example.answer)]

    def identity(self, example: Example) -> Hashable:
        """A value that is equal for equal rows, answer included."""
        return self.claims(example)[0]

    def stance(self, answer: Hashable) -> Hashable:
        """Two known answers to one question cannot both be right if this differs."""
        return answer

    def keys(self, example: Example) -> Sequence[Hashable]:
        """Values of which a row of another split has at least one if it is the same row, whatever its answer."""
        # a sentence that is divided into other words is the same sentence
        return [(example.texts, example.spans) if example.spans else example.texts]
