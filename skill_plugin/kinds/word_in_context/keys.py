"""Keys of the corpora file that only this kind has."""

from __future__ import annotations

from typing import Annotated

from skill_plugin.spec.kind_keys import KindKeys
from skill_plugin.spec.values import OneOf, Text


class WordInContextKeys(KindKeys):
    """The key of places in a text."""

    offsets: Annotated[Text, OneOf(lambda: ("characters", "words"))] = "characters"
    """What `start_a`, `end_a` … count. Ends are not included."""
