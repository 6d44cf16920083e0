"""Documents, each as its sentences in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skill_plugin.readers.example import Example
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.readers.item_reader import ItemReader
from skill_plugin.readers.left_out import DroppedError, RejectedError
from skill_plugin.readers.row import Row
from skill_plugin.readers.sentences import split_sentences
from skill_plugin.readers.split_reading import SplitReading


class NextSentenceReader(ItemReader):
    """Either a row is a document, or a row is a sentence.

    Sentences belong to one document while the column ``document`` stays the same; without that column a document ends
    at a row without text, and all sentences are one document where there is no such row. No document goes
    on in another file.
    """

    def __init__(self, reading: SplitReading) -> None:
        super().__init__(reading)
        self.document: str | None = None
        self.sentences: list[str] = []
        self.line = 1
        self.documents = ExampleRows()

    def read(self, row: Row) -> Example | None:
        if "text" in self.corpus.columns:
            sentences = split_sentences(self.text(row, "text"), self.corpus.language)
            if not sentences:
                raise DroppedError("empty text")
            return Example(sentences, None, self.reading.file, row.line)
        sentence = self.text(row, "sentence")
        document = self.name(row)
        named = "document" in self.corpus.columns
        if document != self.document if named else not sentence.strip():
            self.end_document()
        self.document = document
        if not sentence.strip():
            raise DroppedError("empty text" if named else "blank row between documents")
        if not self.sentences:
            self.line = row.line
        self.sentences.append(sentence)
        return None

    def group(self, row: Row) -> str:
        return super().group(row) if "text" in self.corpus.columns else str(len(self.documents))

    def begin_file(self) -> None:
        self.end_document()
        self.document = None

    def end_document(self) -> None:
        """The sentences since the last end are a document, where there are any."""
        if self.sentences:
            self.documents.append(Example(tuple(self.sentences), None, self.reading.file, self.line))
            self.sentences.clear()

    def finish(self) -> Iterator[Example | tuple[int, RejectedError]]:
        self.end_document()
        yield from self.documents

    def useless(self, examples: Sequence[Example]) -> str | None:
        if any(len(example.texts) > 1 for example in examples):
            return None
        return "no document has two sentences, of which pairs are made"

    def name(self, row: Row) -> str:
        return self.id_in(row, "document", "the document") if "document" in self.corpus.columns else ""
