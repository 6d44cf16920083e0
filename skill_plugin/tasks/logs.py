"""What the logs say of each corpus (share, loss, what was chosen of it, metric), and the averages over corpora."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from fairseq.logging import metrics
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.errors import counted
from skill_plugin.metrics.aggregates import Aggregate
from skill_plugin.metrics.calibration_error import CalibrationError
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics
from skill_plugin.sampling.corpus_patience import BestValidation, CorpusPatience
from skill_plugin.sampling.rules import RULES
from skill_plugin.sampling.training_shares import TrainingShares
from skill_plugin.tasks.data_used import DataUsed, read_announced
from skill_plugin.tasks.plan_iterator import PlanIterator

Derived = Callable[[Any], float | None]  # of fairseq's meters


def plan_lines(plan: PlanIterator) -> list[str]:
    """What an epoch's plan is, and what of its sampler may be meant otherwise."""
    epoch, sampler, outline = plan.epoch, plan.planner.sampler, plan.outline
    line = f"epoch {epoch}: {counted(outline.updates, 'update')}, {outline.length} "
    if outline.probabilities is None or sampler is None:
        return [f"{line}batches of candidates of each corpus"]
    alpha = "" if outline.alpha is None else f", alpha {outline.alpha:.4g}"
    shares = ", ".join(f"{name} {q:.2%}" for name, q in zip(plan.names, outline.probabilities, strict=True))
    lines = [f"{line}draws of a corpus{alpha}, planned shares: {shares}"]
    if RULES[sampler.sampling].moves_alpha and epoch == 1:
        option, (first, last) = f"--sampling {sampler.sampling}", sampler.alphas
        if first == last:
            lines.append(f"{option} with one alpha: it stays at {first:.4g}; FIRST:LAST moves it")
        elif outline.updates >= sampler.max_update:
            lines.append(f"{option}: the run ends in its first epoch, so alpha stays at {first:.4g}")
    return lines


def corpus_scores(meters: Any, corpora: CorpusMetrics) -> dict[str, float]:
    """The score of each corpus in a validation, of which something was scored.

    Args:
        meters: meters of the validation.
        corpora: how they are scored.
    """
    state = _state(meters)
    parts = [(metric.corpus, metric.metric, corpora.part(state, i)) for i, metric in enumerate(corpora)]
    return {name: float(metric.value(part)) for name, metric, part in parts if metric.scored(part)}


def peak_lines(peaked: Mapping[str, BestValidation], patience: CorpusPatience, corpora: CorpusMetrics) -> list[str]:
    """What is frozen out after a validation, and what is left."""
    metric_of = {metric.corpus: metric.metric.name for metric in corpora}
    lines = [
        f"{name} has peaked: {metric_of[name]} {best.score:.4f} after {best.update} updates, not better in "
        f"{counted(best.since, 'validation')}; it is frozen out from epoch {patience.frozen_out[name]} on"
        for name, best in peaked.items()
    ]
    left = [name for name in patience.trained if name not in patience.frozen_out]
    if peaked and not patience.finished:
        lines.append(f"still trained on: {', '.join(left)}")
    if peaked and patience.finished:
        but = f" but those of --mlm-batch-share ({', '.join(left)})" if left else ""
        lines.append(f"every corpus{but} has peaked, so the run ends")
    return lines


def count_drawn(sample: Mapping[str, Any], corpora: int) -> Tensor:
    """Batches and examples of each corpus in a sample that is trained on [2, corpora], float64."""
    counts = np.zeros((2, corpora))
    np.add.at(counts[0], sample["corpora"], 1)
    np.add.at(counts[1], sample["corpora"], [len(units) for units in sample["units"]])
    return torch.from_numpy(counts)


def log_corpora(logging_outputs: Sequence[dict[str, Any]], corpora: CorpusMetrics) -> None:
    """Adds to fairseq's aggregators what the criterion and ``UncertaintySampling`` gave.

    Sums are logged under keys with an underscore, which are not shown, and what is shown is derived from them, so that
    a value is that of all batches and ranks together. One of nothing (a corpus that was not drawn or has no split to
    validate on) is None, which no log shows.
    """
    for key in ("corpus_loss", "corpus_kl", "corpus_segments", "metric_state", "candidates", "chosen", "entropy"):
        if key in logging_outputs[0]:
            # tensors, since a numpy array would not load from a checkpoint with weights_only=True
            metrics.log_scalar_sum(f"_{key}", _sum(logging_outputs, key))
    _show(_values_of_corpora(logging_outputs[0], corpora))


def _values_of_corpora(logged: Collection[str], corpora: CorpusMetrics) -> Iterator[tuple[str, Derived]]:
    for index, metric in enumerate(corpora):
        yield f"{metric.corpus}_loss", _mean("_corpus_loss", "_corpus_segments", index)
        if "corpus_kl" in logged:
            yield f"{metric.corpus}_kl", _divergence(index)
        if "candidates" in logged:
            for key in ("candidates", "chosen"):
                yield f"{metric.corpus}_{key}", _count(f"_{key}", index)
            yield f"{metric.corpus}_entropy", _mean("_entropy", "_candidates", index)
        if "metric_state" in logged:
            yield metric.key, _value(corpora, index, metric)
            if metric.calibration is not None:
                yield metric.calibration_key, _calibration_error(corpora, index, metric.calibration)
    if "metric_state" in logged:
        for name, aggregate in corpora.aggregates.items():
            yield name, _aggregate(corpora, aggregate)


def log_shares(
    logging_outputs: Sequence[dict[str, Any]], probabilities: NDArray[np.float64] | None, shares: TrainingShares
) -> None:
    """Counts what an update trained on, and adds each trained corpus's planned and actual share.

    Args:
        logging_outputs: with ``drawn`` [2, K], the batches and examples of the run's K corpora.
        probabilities: probabilities of the sampler [K]; None with uncertainty sampling, where they are the shares of
            the candidates.
        shares: what the run has trained on so far.
    """
    batches, examples = _sum(logging_outputs, "drawn").numpy()
    if probabilities is None:
        candidates = _sum(logging_outputs, "candidates").numpy()
        probabilities = candidates / candidates.sum()
    planned = shares.add(probabilities, batches, examples)
    drawn = examples if shares.by_examples else batches
    for key, values in (("planned", planned), ("drawn", drawn)):
        metrics.log_scalar_sum(f"_{key}", torch.from_numpy(values))
    _show(
        (f"{name}_{shown}", _share(key, index))
        for index, (name, size) in enumerate(zip(shares.names, shares.sizes, strict=True))
        if size
        for shown, key in (("planned", "_planned"), ("share", "_drawn"))
    )


def log_data_used(logging_outputs: Sequence[dict[str, Any]], used: DataUsed) -> None:
    """Counts what ``UncertaintySampling`` announced, and adds the share of the training examples trained on so far."""
    used.add(read_announced(sum(output["trained_on"] for output in logging_outputs)))
    metrics.log_scalar("data_used", used.share, weight=0, round=4)


def _show(values: Iterable[tuple[str, Derived]]) -> None:
    """Derives values that are always shown together, unless the first is there, and so all are."""
    for key, value in values:
        if all(key in meters for meters in metrics.get_active_aggregators()):
            return
        metrics.log_derived(key, value)


def _sum(logging_outputs: Sequence[dict[str, Any]], key: str) -> Tensor:
    values = [output[key].detach().double().cpu() for output in logging_outputs]
    return torch.stack(values).sum(0) if len(values) > 1 else values[0]


def _share(key: str, index: int) -> Derived:
    def share(meters: Any) -> float:
        values = meters[key].sum
        return round(float(values[index] / values.sum()), 4)

    return share


def _mean(total: str, number: str, index: int) -> Derived:
    def mean(meters: Any) -> float | None:
        count = float(meters[number].sum[index])
        return round(float(meters[total].sum[index]) / count, 4) if count else None

    return mean


def _count(key: str, index: int) -> Derived:
    return lambda meters: int(meters[key].sum[index])


def _divergence(index: int) -> Derived:
    def divergence(meters: Any) -> float | None:
        segments = float(meters["_corpus_segments"].sum[index])
        return float(meters["_corpus_kl"].sum[index]) / segments if segments else None  # too small to be rounded

    return divergence


def _value(corpora: CorpusMetrics, index: int, metric: CorpusMetric) -> Derived:
    def value(meters: Any) -> float | None:
        part = corpora.part(_state(meters), index)
        return round(metric.metric.value(part), 6) if metric.metric.scored(part) else None

    return value


def _calibration_error(corpora: CorpusMetrics, index: int, calibration: CalibrationError) -> Derived:
    def value(meters: Any) -> float | None:
        found = calibration.value(corpora.calibration_part(_state(meters), index))
        return None if found is None else round(found, 6)

    return value


def _aggregate(corpora: CorpusMetrics, aggregate: Aggregate) -> Derived:
    def value(meters: Any) -> float | None:
        found = corpora.aggregate(_state(meters), aggregate)
        return None if found is None else round(found, 6)

    return value


def _state(meters: Any) -> NDArray[np.float64]:
    return np.asarray(meters["_metric_state"].sum, dtype=np.float64)
