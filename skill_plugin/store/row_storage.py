"""How the rows of a kind are stored.

Axes: T tokens of a text, W words, A accepted answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from skill_plugin.readers.example import Example
from skill_plugin.readers.example_rows import ExampleBlock, ExampleRows
from skill_plugin.readers.split_data import SplitData
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.encoded_block import EncodedBlock
from skill_plugin.store.encoded_row import EncodedRow, Ids
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer import Encoding

if TYPE_CHECKING:
    from skill_plugin.store.stored_split import StoredSplit


class RowFault(NamedTuple):
    """What is wrong with a row.

    Attributes:
        array: the array that does not fit its row.
        other: the part that it does not fit: another array, ``texts`` or ``members``. One of the two is damaged.
        message: a message that says what was expected.
    """

    array: str
    other: str
    message: str


class RowStorage:
    """The usual way: the texts of an example as ids, and labels where the kind has some.

    Attributes:
        arrays: names of the arrays that ``encode`` gives each row beside its texts, which are int32. Of other numbers
            they are the bits: ``scores.astype(np.float32).view(np.int32)``, back by ``view(np.float32)``.
        has_members: whether rows have members.
        fewest_members: of a row.
        unknown_labels: whether a row may hold a label that train lacks.

    Args:
        one_label: whether a row with labels has exactly one.
    """

    arrays: ClassVar[tuple[str, ...]] = ()
    has_members: ClassVar[bool] = False
    fewest_members: ClassVar[int] = 0
    unknown_labels: ClassVar[bool] = False

    def __init__(self, one_label: bool = True) -> None:
        self.one_label = one_label

    def encode(self, corpus: Corpus, examples: Sequence[Example], encoder: TextEncoder) -> list[EncodedRow]:
        """Examples of a corpus as ids, in order: what is stored of them, and what a prediction starts with.

        Raises:
            InputError: there is no tokenizer.
        """
        texts = [text for example in examples for text in (*example.texts, *example.candidates)]
        distinct = list(dict.fromkeys(texts))  # one context has many questions
        if type(self).row is RowStorage.row:  # reads no offsets
            ids = dict(zip(distinct, encoder.encode_ids(distinct).split(), strict=True))
            return [EncodedRow(tuple(ids[text] for text in example.texts)) for example in examples]
        encoded = dict(zip(distinct, encoder.encode_batch(distinct), strict=True))
        encodings = iter([encoded[text] for text in texts])
        return [
            self.row(example, [next(encodings) for _ in example.texts], [next(encodings) for _ in example.candidates])
            for example in examples
        ]

    def encode_block(self, corpus: Corpus, examples: ExampleBlock, encoder: TextEncoder) -> EncodedBlock:
        """``encode`` of a block of examples, as columns.

        Raises:
            InputError: there is no tokenizer.
        """
        if (type(self).encode, type(self).row) != (RowStorage.encode, RowStorage.row):
            return EncodedBlock.of(self.encode(corpus, list(examples), encoder), self.arrays, self.has_members)
        columns = list(zip(*examples.texts, strict=True))
        numbers = {text: number for number, text in enumerate(dict.fromkeys(chain(*columns)))}
        encoded = encoder.encode_ids(list(numbers))
        return EncodedBlock(tuple(encoded.take(map(numbers.__getitem__, column), len(column)) for column in columns))

    def row(self, example: Example, texts: Sequence[Encoding], candidates: Sequence[Encoding]) -> EncodedRow:
        """A row of an example, whose texts and candidates are encoded; where it is this one, ids are all it needs."""
        return EncodedRow(tuple(text.ids for text in texts))

    def facts(self, corpus: Corpus, splits: Mapping[str, SplitData], labels: tuple[str, ...] | None) -> dict[str, Any]:
        """What a trained model must know of a corpus beyond the corpora file, as plain values.

        Args:
            corpus: the corpus as in the corpora file.
            splits: its rows.
            labels: its labels; None if the kind has none.
        """
        return self.written_facts(corpus)

    def written_facts(self, corpus: Corpus) -> dict[str, Any]:
        """The facts that the corpora file states itself."""
        return {}

    def write_answers(self, folder: Path, split: str, examples: ExampleRows) -> None:
        """Writes answers that are neither labels nor arrays into the folder ``label``."""

    def read_answers(self, stored: StoredSplit, folder: Path, split: str) -> StoredSplit:
        """Adds answers that are not labels to the rows of a split, and whether they are known.

        Args:
            stored: the rows without answers.
            folder: the corpus's folder ``label``; it need not exist.
            split: train, valid or test.

        Raises:
            InputError: a file is damaged.
        """
        return stored

    def row_fault(self, row: EncodedRow) -> RowFault | None:
        """Finds what ``prepare`` never writes: positions outside their text, or parts that do not fit together.

        It is called only if files have no checksums, or checksums are not compared.
        """
        return None

    def example_fault(self, example: Example, row: EncodedRow) -> str | None:
        """Why the original texts cannot be those of the row; None if they can. Their number is right already."""
        return None


def are_within(places: Ids, length: int) -> bool:
    """Whether all positions lie within something of this length."""
    return not len(places) or bool(places.min() >= 0 and places.max() < length)
