"""What ``check`` says of documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skill_plugin.checking.row_findings import RowFindings, RowNotice
from skill_plugin.kinds.raw_text import Documents
from skill_plugin.readers import Example


class NextSentenceFindings(RowFindings):
    """A row is a document."""

    row = "document"
    rows = "documents"

    def contents(self, examples: Sequence[Example], labels: Sequence[str]) -> Documents:
        return Documents.of(examples, divided=True)

    def note_rows(self, examples: Sequence[Example], labels: Sequence[str]) -> Iterator[RowNotice]:
        count, first = 0, None
        for example in examples:
            if len(example.texts) < 2:
                count, first = count + 1, first or example
        if first is not None:
            yield first, f"documents of one sentence, which give no pair: {count:,}, the first one here"
