"""The score to compare a model with: the best one of a rule that gives constant answers, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skill_plugin.metrics.metric import Metric


def score_constant_rule(
    metric: Metric[Any, Any], references: Sequence[Any], texts: Sequence[Sequence[str]] = ()
) -> float | None:
    """Scores the metric's ``constant_answers`` as a model's answers are scored.

    Args:
        metric: the metric by which the split is scored.
        references: the right answers of its items [U].
        texts: the texts of each item [U], if the metric ``reads_texts``.

    Returns:
        The best score; None if the metric has no such rule, as for masked_lm, or there are no items.
    """
    if not references:
        return None
    scores = []
    for answers in metric.constant_answers(references, texts):
        state = np.zeros(metric.size, dtype=np.float64)
        metric.count(state, answers, references, np.arange(len(references)))
        scores.append(metric.value(state))
    return (max if metric.higher_is_better else min)(scores, default=None)
