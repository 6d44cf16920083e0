"""What a score is held against: the best score of a rule that does without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skill_plugin.metrics.metric import Metric


def score_constant_rule(
    metric: Metric[Any, Any], references: Sequence[Any], texts: Sequence[Sequence[str]] = ()
) -> float | None:
    """The best score of the metric's ``constant_answers``, scored as a model's answers are.

    Args:
        metric: by which a split was scored.
        references: right answers of its items [U].
        texts: of the items [U], where the metric ``reads_texts``.

    Returns:
        None where there is no such rule, as for masked_lm, or no item.
    """
    if not references:
        return None
    scores = []
    for answers in metric.constant_answers(references, texts):
        state = np.zeros(metric.size, dtype=np.float64)
        metric.count(state, answers, references, np.arange(len(references)))
        scores.append(metric.value(state))
    return max(scores, default=None)
