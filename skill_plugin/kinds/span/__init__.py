"""The kind span: a question's answer as a piece of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skill_plugin.kinds.kind import TABULAR, ColumnSet, Kind

if TYPE_CHECKING:
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.store.row_storage import RowStorage


class SpanKind(Kind):
    """Where in the context the answer is, if it is there."""

    name = "span"
    column_sets = (ColumnSet(("question", "context"), ("answers",), ("answer_start", "is_impossible", "id")),)
    metrics = ("f1", "exact_match")
    formats = (*TABULAR, "squad")
    options = ("stride", "max_question", "max_answer", "no_answer_threshold")
    texts = ("question", "context")
    windowed = True

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.span.reader import SpanReader

        return SpanReader

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.span.storage import SpanStorage

        return SpanStorage()


KIND = SpanKind()
