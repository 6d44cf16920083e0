"""Scores as a person reads them."""

from __future__ import annotations

import math

from skill_plugin.kinds.registry import is_cost


def score_scale(metric: str) -> int:
    """What a score is shown times: percent, but for what is a cost, as a perplexity."""
    return 1 if is_cost(metric) else 100


def score_text(value: float, metric: str = "", sign: str = "", like: float | None = None) -> str:
    """A share in percent with one decimal place; a cost as it is, with three digits that say something, or more.

    Args:
        value: the score, a deviation, or a change.
        metric: of which it is.
        sign: ``+`` for a change.
        like: the score that has the number of decimal places; the value itself by default.

    >>> score_text(0.034), score_text(0.034, "perplexity"), score_text(12.04, "perplexity")
    ('3.4', '0.0340', '12.0')
    """
    size = abs(value if like is None else like)
    places = max(1, 2 - math.floor(math.log10(size))) if is_cost(metric) and 0 < size < math.inf else 1
    return f"{score_scale(metric) * value:{sign}.{places}f}"
