"""Any number of labels a row."""

from __future__ import annotations

from skill_plugin.store.row_storage import RowStorage


class MultilabelStorage(RowStorage):
    """A row without a label is one to which none applies."""

    one_label = False
