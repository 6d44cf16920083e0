"""What the logs say of each corpus: its loss, and when validating its metric and the average over corpora."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from fairseq.logging import metrics
from numpy.typing import NDArray

from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics


def log_corpora(logging_outputs: Sequence[dict[str, Any]], corpora: CorpusMetrics) -> None:
    """Adds to fairseq's aggregators what ``MultitaskCrossEntropy`` gave.

    Sums are logged under keys with an underscore, which are not shown, and what is shown is derived from them, so that
    a value is that of all batches and ranks together.
    """
    for key in ("corpus_loss", "corpus_segments", "metric_state"):
        if key in logging_outputs[0]:
            # tensors, since a numpy array would not load from a checkpoint with weights_only=True
            total = torch.stack([output[key].detach().double().cpu() for output in logging_outputs]).sum(0)
            metrics.log_scalar_sum(f"_{key}", total)
    for index, metric in enumerate(corpora):
        metrics.log_derived(f"{metric.corpus}_loss", _loss(index))
        if "metric_state" in logging_outputs[0]:
            metrics.log_derived(metric.key, _value(corpora, index, metric))
    if "metric_state" in logging_outputs[0]:
        metrics.log_derived("avg", _average(corpora))


def _loss(index: int) -> Any:
    def loss(meters: Any) -> float:
        segments = float(meters["_corpus_segments"].sum[index])
        return round(float(meters["_corpus_loss"].sum[index]) / segments, 4) if segments else 0.0

    return loss


def _value(corpora: CorpusMetrics, index: int, metric: CorpusMetric) -> Any:
    return lambda meters: round(metric.metric.value(corpora.part(_state(meters), index)), 6)


def _average(corpora: CorpusMetrics) -> Any:
    return lambda meters: round(corpora.average(_state(meters)), 6)


def _state(meters: Any) -> NDArray[np.float64]:
    return np.asarray(meters["_metric_state"].sum, dtype=np.float64)
