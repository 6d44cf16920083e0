"""What a line of the log says of each corpus: nothing of one of which nothing was seen."""

from __future__ import annotations

import torch
from fairseq.logging import metrics

from skill_plugin.compat import absent_values
from skill_plugin.metrics.classification import Classification
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics
from skill_plugin.tasks.logs import log_corpora

CORPORA = CorpusMetrics(
    [CorpusMetric("news", Classification("accuracy", 2)), CorpusMetric("nli", Classification("mcc", 2))]
)


def shown(**sums: list[float]) -> dict[str, float]:
    absent_values.install()
    with metrics.aggregate(new_root=True) as meters:
        log_corpora([{name: torch.tensor(values, dtype=torch.float64) for name, values in sums.items()}], CORPORA)
        return dict(meters.get_smoothed_values())


def test_a_corpus_that_was_not_drawn_has_no_loss() -> None:
    seen = {"corpus_loss": [0, 3], "corpus_segments": [0, 2], "corpus_kl": [0, 1]}
    assert shown(**seen) == {"nli_loss": 1.5, "nli_kl": 0.5}
    zero = {"corpus_loss": [0, 0], "corpus_segments": [1, 0]}
    assert shown(**zero) == {"news_loss": 0}  # a loss of zero is one


def test_a_corpus_without_the_split_has_no_score() -> None:
    seen = {"corpus_loss": [1, 0], "corpus_segments": [1, 0], "metric_state": [2, 1, 0, 0, 1, 0, *[0] * 6]}
    assert shown(**seen) == {"news_loss": 1, "news_accuracy": 0.75, "avg": 0.75, "avg_": 0.75, "worst": 0.75}
