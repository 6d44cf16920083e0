"""What is looked at when model and validation data are there, before a run trains."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skill_plugin.files.locks import lock_until_exit
from skill_plugin.metrics.corpus_metrics import CorpusMetrics
from skill_plugin.tasks.choosing import check_choosing
from skill_plugin.tasks.multi_corpus_dataset import MultiCorpusDataset
from skill_plugin.tasks.run_watch import keeps_log


def check_run(cfg: Any) -> None:
    """Refuses a second run into one folder.

    Args:
        cfg: fairseq's whole configuration.

    Raises:
        InputError: the process that is at work there.
    """
    if keeps_log(cfg):
        folder = Path(cfg.checkpoint.save_dir)
        folder.mkdir(parents=True, exist_ok=True)
        lock_until_exit(folder / ".lock", folder, "another run")


def check_best(cfg: Any, datasets: Mapping[str, MultiCorpusDataset], metrics: CorpusMetrics) -> None:
    """Refuses to choose the best checkpoint by a metric that the first of the validation splits has no score of.

    Args:
        cfg: fairseq's whole configuration.
        datasets: the datasets by split.
        metrics: metrics of the run's corpora.

    Raises:
        InputError: see ``check_choosing``.
    """
    first = cfg.dataset.valid_subset.split(",")[0]
    check_choosing(cfg.checkpoint, metrics, [examples.name for examples in datasets[first].corpora])
