"""Keys of the corpora file that only this kind has."""

from __future__ import annotations

from typing import Annotated

from skill_plugin.spec.kind_keys import KindKeys
from skill_plugin.spec.tag_schemes import SCHEMES
from skill_plugin.spec.values import CellSeparator, Flag, OneOf, Text


class LabellingKeys(KindKeys):
    """The keys of tags."""

    scheme: Annotated[Text, OneOf(lambda: SCHEMES)] | None = None
    """How tags say where entities are, with types (`B-PER`) or without (`B`). `raw`: tags are no entities, as parts of
    speech, with `metric: accuracy`. By default read off the tags."""
    lenient: Flag = False
    """Whether an `I-` without `B-` begins an entity, in scores and in what `predict` shows. It does in any case where
    no tag of a corpus is a `B`."""
    word_separator: CellSeparator = " "
    """Between the words, and the tags, in a cell; lists need none."""
