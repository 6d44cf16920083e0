"""What ``check`` says of rows, as it depends on their kind: as it stands, of texts that have one label."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar

from skill_plugin.checking import label_signs
from skill_plugin.checking.contents import Contents
from skill_plugin.readers import Example
from skill_plugin.spec import Corpus

RowNotice = tuple[Example, str]  # the first row of which something is to be said, and what


class RowFindings:
    """What is said of the rows of one corpus.

    Args:
        corpus: theirs.

    Attributes:
        row, rows: what one is called, and several.
        label: what an answer is called.
        conflict: what is said of rows that ask what an earlier one asks and say something else.
        overlap: what is said of rows that train has too.
        accepts_others: whether another answer to what is asked again may be right as well.
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
        """What the rows of a split hold; None where their labels say it all.

        Args:
            examples: of one split.
            labels: of the corpus, or those of the split where they are unknown.
        """
        return None

    def note_rows(self, examples: Sequence[Example], labels: Sequence[str]) -> Iterator[RowNotice]:
        """What is odd within single rows; arguments as of ``contents``."""
        return iter(())

    def note_answers(
        self, split: str, examples: Sequence[Example], labels: Sequence[str] | None
    ) -> Iterator[RowNotice]:
        """Signs that what was read as answers is none.

        Args:
            split: its name.
            examples: its rows.
            labels: of train; what ``labels`` or ``label_map`` of the corpora file name is meant as it is.
        """
        if split != "train":
            if self.may_vary(labels):
                yield from label_signs.note_constant_answer(self.corpus, split, examples)
        elif self.corpus.labels is None and labels is not None:
            yield from self.note_labels(examples)

    def may_vary(self, labels: Sequence[str] | None) -> bool:
        """Whether rows that all have one answer are odd."""
        return labels is not None and len(labels) > 1

    def note_labels(self, examples: Sequence[Example]) -> Iterator[RowNotice]:
        """Signs that what train has as labels is none."""
        yield from label_signs.note_missing_values(self.corpus, examples)
        yield from label_signs.note_header(self.corpus, examples)
        yield from label_signs.note_too_many_labels(self.corpus, examples)

    def claims(self, example: Example) -> Sequence[tuple[Hashable, Hashable]]:
        """What a row says of what: (what is asked, answer); mostly one."""
        return [((example.texts, example.words, example.spans), example.answer)]

    def identity(self, example: Example) -> Hashable:
        """What is equal for equal rows, answer included."""
        return self.claims(example)[0]

    def differ(self, one: Hashable, other: Hashable) -> bool:
        """Whether two known answers to one question cannot both be right."""
        return one != other

    def keys(self, example: Example) -> Sequence[Hashable]:
        """What tells, by any of them, that a row of another split is this one, whatever the answer."""
        # a sentence that is divided into other words is the same sentence
        return [(example.texts, example.spans) if example.spans else example.texts]
