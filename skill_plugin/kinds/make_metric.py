"""From what a corpus says to its metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skill_plugin.kinds.labelling.metric import Labelling
from skill_plugin.kinds.masked_lm.metric import MaskedLm
from skill_plugin.kinds.multilabel.metric import Multilabel
from skill_plugin.kinds.ranking.metric import Ranking
from skill_plugin.kinds.regression.metric import Regression
from skill_plugin.kinds.span.metric import Span
from skill_plugin.metrics.classification import Classification
from skill_plugin.metrics.metric import Metric


def make_metric(
    kind: str,
    metric: str,
    *,
    language: str = "",
    labels: Sequence[str] = (),
    positive_label: str | None = None,
    scheme: str = "bio",
    lenient: bool = False,
    items: int = 0,
    counts_all: bool = False,
) -> Metric[Any, Any]:
    """The metric of a corpus.

    Args:
        kind: of the corpus.
        metric: its name, one of the class's ``names``.
        language: of the answers (span).
        labels: the classes in the order of their ids, or the tags (labelling). next_sentence needs none: it has two.
        positive_label: what f1 is about (classification, word_in_context).
        scheme, lenient: how tags are entities (labelling).
        items: in the split that is scored (regression).
        counts_all: whether a query without a relevant candidate counts 0 (ranking).

    Raises:
        ValueError: an unknown kind or metric, or what the metric needs is not there.
    """
    if kind in ("classification", "word_in_context", "next_sentence"):
        positive = None if positive_label is None else list(labels).index(positive_label)
        return Classification(metric, len(labels) or 2, positive)
    if kind == "multilabel":
        return Multilabel(metric, labels)
    if kind == "regression":
        return Regression(metric, items)
    if kind == "ranking":
        return Ranking(metric, counts_all)
    if kind == "labelling":
        return Labelling(metric, labels, scheme, lenient)
    if kind == "span":
        return Span(metric, language)
    if kind == "masked_lm":
        return MaskedLm(metric)
    raise ValueError(f"unknown kind {kind!r}")
