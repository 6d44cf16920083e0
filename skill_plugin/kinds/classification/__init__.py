"""The kind classification: one label for one to three texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skill_plugin.kinds.kind import OPTIONS_OF_LABELS, ColumnSet, Kind

if TYPE_CHECKING:
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.store.row_storage import RowStorage


class ClassificationKind(Kind):
    """One of the labels for the texts of a row."""

    name = "classification"
    column_sets = (ColumnSet(("text_a",), ("label",), ("text_b", "text_c")),)
    metrics = ("accuracy", "f1", "macro_f1", "mcc")
    options = (*OPTIONS_OF_LABELS, "positive_label")
    has_labels = True

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.classification.reader import ClassificationReader

        return ClassificationReader

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.store.row_storage import RowStorage

        return RowStorage()


KIND = ClassificationKind()
