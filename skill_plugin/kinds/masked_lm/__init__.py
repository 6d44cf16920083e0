"""The kind masked_lm: masked tokens of running text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skill_plugin.kinds.kind import TABULAR, ColumnSet, Kind

if TYPE_CHECKING:
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.store.row_storage import RowStorage


class MaskedLMKind(Kind):
    """What some tokens were before they were masked."""

    name = "masked_lm"
    column_sets = (ColumnSet(("text",)),)
    metrics = ("perplexity", "accuracy")
    formats = (*TABULAR, "conll")
    options = ("join", "pattern", "stride")
    texts = ("text",)
    in_average = False
    windowed = True

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.masked_lm.reader import MaskedLMReader

        return MaskedLMReader

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.store.row_storage import RowStorage

        return RowStorage()


KIND = MaskedLMKind()
