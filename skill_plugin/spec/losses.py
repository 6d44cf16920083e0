"""The losses of ranking, and what candidates may be ordered by with each."""

from __future__ import annotations

# loss -> what its outputs can order candidates by, the default first; one that can do nothing else has no choice
RANKED_BY = {"pointwise": ("probability", "logit"), "listwise": (), "graded": ("expected", "likeliest")}
LOSSES = tuple(RANKED_BY)
