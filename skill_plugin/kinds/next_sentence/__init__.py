"""The kind next_sentence: whether a text follows another in a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skill_plugin.kinds.kind import TABULAR, ColumnSet, Kind

if TYPE_CHECKING:
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.store.row_storage import RowStorage


class NextSentenceKind(Kind):
    """Whether the second of two texts is what follows the first."""

    name = "next_sentence"
    column_sets = (ColumnSet(("text",)), ColumnSet(("sentence",), (), ("document",)))
    metrics = ("accuracy",)
    formats = (*TABULAR, "conll")
    options = ("join", "pattern")
    texts = ("text", "sentence")
    fixed_labels = ("next", "other")
    in_average = False

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.next_sentence.reader import NextSentenceReader

        return NextSentenceReader

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.next_sentence.storage import NextSentenceStorage

        return NextSentenceStorage()


KIND = NextSentenceKind()
