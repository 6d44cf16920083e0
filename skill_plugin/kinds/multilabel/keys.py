"""Keys of the corpora file that only this kind has."""

from __future__ import annotations

from skill_plugin.spec.kind_keys import KindKeys
from skill_plugin.spec.values import CellSeparator


class MultilabelKeys(KindKeys):
    """The key of labels that stand in one cell."""

    label_separator: CellSeparator = ","
    """Between the labels in a cell; a list needs none."""
