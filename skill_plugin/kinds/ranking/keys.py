"""Keys of the corpora file that only this kind has."""

from __future__ import annotations

from typing import Annotated

from skill_plugin.spec.kind_keys import KindKeys
from skill_plugin.spec.values import OneOf, Several, Text

RANKED_BY = {"pointwise": ("probability", "logit"), "listwise": (), "graded": ("expected", "likeliest")}


class RankingKeys(KindKeys):
    """The keys of candidates."""

    loss: Annotated[Text, OneOf(lambda: RANKED_BY)] = "pointwise"
    """`pointwise`: each candidate by itself is right or wrong. `listwise`: softmax over a query's candidates. `graded`:
    each candidate by itself has one of some grades, its relevance."""
    grades: Several | None = None
    """With `loss: graded`: how many there are, from 0; by default as many as the data have."""
    ranked_by: Annotated[Text, OneOf(lambda: (by for names in RANKED_BY.values() for by in names))] | None = None
    """`pointwise`: by the `probability` of being right (default), or its `logit` (MT-TaG's COPA). `graded`: by the
    `expected` grade (default), or the `likeliest`."""
    without_positive: Annotated[Text, OneOf(lambda: ("left_out", "zero"))] = "left_out"
    """Whether queries without a relevant candidate are left out of metrics of the order, or count 0."""
