"""Keys of the corpora file that only this kind has."""

from __future__ import annotations

from skill_plugin.spec.kind_keys import KindKeys
from skill_plugin.spec.values import Several


class StarsKeys(KindKeys):
    """How stars are given."""

    most: Several = 5
    """The most stars that a review gives."""
