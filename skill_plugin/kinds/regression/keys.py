"""Keys of the corpora file that only this kind has."""

from __future__ import annotations

from typing import Annotated

from skill_plugin.spec.kind_keys import KindKeys
from skill_plugin.spec.values import NumberPair, OneOf, Text


class RegressionKeys(KindKeys):
    """The keys of scores."""

    score_range: NumberPair | None = None
    """`[0, 5]`; by default the lowest and highest score of train."""
    decimal: Annotated[Text, OneOf(lambda: (".", ","))] = "."
    """What stands before the decimal places of scores that are text: `","` reads `3,5`, as spreadsheets in much of
    Europe write it."""
    score_scale: Annotated[Text, OneOf(lambda: ("normalised", "raw"))] = "normalised"
    """`normalised`: scores are learned on [-1, 1], whatever their range. `raw`: as they are (MT-TaG, equation 10)."""
