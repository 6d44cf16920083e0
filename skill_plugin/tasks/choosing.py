"""Checks, before a run trains, of the metric by which it chooses its best checkpoint."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.metrics.corpus_metrics import CorpusMetrics
from skill_plugin.spec.averages import AVERAGE, WEIGHTED, WORST


def check_choosing(checkpoint: Any, corpora: CorpusMetrics, validated: Collection[str]) -> None:
    """Checks that validation logs the metric, and that the run would keep its better values, not its worse ones.

    Args:
        checkpoint: fairseq's options of checkpoints.
        corpora: metrics of the run's corpora.
        validated: names of the corpora that have a validation split.

    Raises:
        InputError: fairseq would stop at the end of the first epoch, or keep the worst checkpoint for the best.
    """
    name = checkpoint.best_checkpoint_metric
    option = f"--best-checkpoint-metric {name}"
    owners = {f"{one.corpus}_loss": one.corpus for one in corpora} | {one.key: one.corpus for one in corpora}
    owners |= {one.calibration_key: one.corpus for one in corpora if one.calibration is not None}
    higher = {"loss": False} | dict.fromkeys(owners, False)
    higher |= {one.key: one.metric.higher_is_better for one in corpora} | dict.fromkeys(corpora.aggregates, True)
    if name == WEIGHTED and WEIGHTED not in corpora.aggregates:
        raise InputError(f"{option} needs --average-weights, and a corpus that counts in averages")
    if name == WEIGHTED and not any(map(corpora.aggregates[name].weight, corpora.aggregates[name].units)):
        raise InputError(f"{option}: --average-weights gives 0 to all corpora that are validated")
    if name not in higher and name not in (AVERAGE, WORST):
        raise InputError(f"{option}: validation logs nothing of that name{nearest(name, higher)}")
    if name in owners and owners[name] not in validated:
        raise InputError(f"{option}: {owners[name]!r} has no validation split with answers")
    if name in (AVERAGE, WORST) and name not in corpora.aggregates:
        raise InputError(
            f"{option}: no corpus that is validated counts in averages; give some 'in_average: true' and another "
            "metric than perplexity, or choose by loss"
        )
    if higher[name] and not checkpoint.maximize_best_checkpoint_metric:
        raise InputError(f"{option} is better when higher: add --maximize-best-checkpoint-metric")
    if not higher[name] and checkpoint.maximize_best_checkpoint_metric:
        raise InputError(f"{option} is better when lower: leave out --maximize-best-checkpoint-metric")
