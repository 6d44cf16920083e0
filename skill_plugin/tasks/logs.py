"""What the logs say of each corpus: its loss, what was chosen of it, its metric, and the averages over corpora."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from fairseq.logging import metrics
from numpy.typing import NDArray

from skill_plugin.metrics.aggregates import Aggregate
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics
from skill_plugin.tasks.data_used import DataUsed, read


def log_corpora(logging_outputs: Sequence[dict[str, Any]], corpora: CorpusMetrics) -> None:
    """Adds to fairseq's aggregators what the criterion and ``UncertaintySampling`` gave.

    Sums are logged under keys with an underscore, which are not shown, and what is shown is derived from them, so that
    a value is that of all batches and ranks together.
    """
    for key in ("corpus_loss", "corpus_kl", "corpus_segments", "metric_state", "candidates", "chosen", "entropy"):
        if key in logging_outputs[0]:
            # tensors, since a numpy array would not load from a checkpoint with weights_only=True
            total = torch.stack([output[key].detach().double().cpu() for output in logging_outputs]).sum(0)
            metrics.log_scalar_sum(f"_{key}", total)
    for index, metric in enumerate(corpora):
        metrics.log_derived(f"{metric.corpus}_loss", _mean("_corpus_loss", "_corpus_segments", index))
        if "corpus_kl" in logging_outputs[0]:
            metrics.log_derived(f"{metric.corpus}_kl", _divergence(index))
        if "candidates" in logging_outputs[0]:
            for key in ("candidates", "chosen"):
                metrics.log_derived(f"{metric.corpus}_{key}", _count(f"_{key}", index))
            metrics.log_derived(f"{metric.corpus}_entropy", _mean("_entropy", "_candidates", index))
        if "metric_state" in logging_outputs[0]:
            metrics.log_derived(metric.key, _value(corpora, index, metric))
    if "metric_state" in logging_outputs[0]:
        for name, aggregate in corpora.aggregates.items():
            metrics.log_derived(name, _aggregate(corpora, aggregate))


def log_data_used(logging_outputs: Sequence[dict[str, Any]], used: DataUsed) -> None:
    """Counts what ``UncertaintySampling`` announced, and adds the share of the training examples trained on so far."""
    used.add(read(sum(output["trained_on"] for output in logging_outputs)))
    metrics.log_scalar("data_used", used.share, weight=0, round=4)


def _mean(total: str, number: str, index: int) -> Any:
    def mean(meters: Any) -> float:
        count = float(meters[number].sum[index])
        return round(float(meters[total].sum[index]) / count, 4) if count else 0.0

    return mean


def _count(key: str, index: int) -> Any:
    return lambda meters: int(meters[key].sum[index])


def _divergence(index: int) -> Any:
    def divergence(meters: Any) -> float:
        segments = float(meters["_corpus_segments"].sum[index])
        return float(meters["_corpus_kl"].sum[index]) / segments if segments else 0.0  # too small to be rounded

    return divergence


def _value(corpora: CorpusMetrics, index: int, metric: CorpusMetric) -> Any:
    return lambda meters: round(metric.metric.value(corpora.part(_state(meters), index)), 6)


def _aggregate(corpora: CorpusMetrics, aggregate: Aggregate) -> Any:
    return lambda meters: round(corpora.aggregate(_state(meters), aggregate), 6)


def _state(meters: Any) -> NDArray[np.float64]:
    return np.asarray(meters["_metric_state"].sum, dtype=np.float64)
