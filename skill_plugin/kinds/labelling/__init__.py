"""The kind labelling: a tag for every word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skill_plugin.kinds.kind import OPTIONS_OF_LABELS, TABULAR, ColumnSet, Kind

if TYPE_CHECKING:
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.store.row_storage import RowStorage


class LabellingKind(Kind):
    """Tags of words, of which entities may be made."""

    name = "labelling"
    column_sets = (ColumnSet(("token",), ("tag",), ("sentence",)), ColumnSet(("text",), ("entities",)))
    metrics = ("f1", "accuracy")
    formats = (*TABULAR, "conll")
    options = (*OPTIONS_OF_LABELS, "scheme", "lenient", "join", "word_separator", "pattern", "stride")
    texts = ("text", "sentence")
    has_labels = True
    windowed = True

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.labelling.reader import LabellingReader

        return LabellingReader

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.labelling.storage import LabellingStorage

        return LabellingStorage()


KIND = LabellingKind()
