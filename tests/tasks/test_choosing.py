"""What the best checkpoint can be chosen by."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from skill_plugin.errors import InputError
from skill_plugin.kinds.masked_lm.metric import MaskedLm
from skill_plugin.metrics.classification import Classification
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics
from skill_plugin.tasks.choosing import check_choosing

METRICS = [
    CorpusMetric("nli-en", Classification("accuracy", 2), language="en"),
    CorpusMetric("nli-de", Classification("accuracy", 2), language="de"),
    CorpusMetric("mlm-en", MaskedLm("perplexity"), language="en"),
    CorpusMetric("mlm-de", MaskedLm("accuracy"), averaged=False, language="de"),
]


def check(
    name: str, maximize: bool, validated: tuple[str, ...] = ("nli-en", "mlm-en", "mlm-de"), weighted: bool = False
) -> None:
    corpora = CorpusMetrics(METRICS, validated, {"nli-en": 2.0} if weighted else {})
    options = SimpleNamespace(best_checkpoint_metric=name, maximize_best_checkpoint_metric=maximize)
    check_choosing(options, corpora, validated)


@pytest.mark.parametrize("name", ["avg", "avg_en", "worst", "nli-en_accuracy", "mlm-de_accuracy"])
def test_what_is_better_when_higher_is_maximised(name: str) -> None:
    check(name, True)
    with pytest.raises(InputError) as caught:
        check(name, False)
    expected = f"--best-checkpoint-metric {name} is better when higher: add --maximize-best-checkpoint-metric"
    assert str(caught.value) == expected


@pytest.mark.parametrize("name", ["loss", "nli-en_loss", "mlm-en_perplexity"])
def test_what_is_better_when_lower_is_not(name: str) -> None:
    check(name, False)
    with pytest.raises(InputError, match=f"{name} is better when lower: leave out --maximize-best-checkpoint-metric"):
        check(name, True)


def test_names_that_validation_does_not_log() -> None:
    for name, message in (
        ("nli-en_acuracy", "validation logs nothing of that name; did you mean 'nli-en_accuracy'?"),
        ("avg_zh", "; did you mean 'avg_en'?"),
        ("avg_de", "; did you mean 'avg_en'?"),  # its corpora have no validation split, or do not count
        ("weighted_avg", "weighted_avg needs --average-weights"),
        ("nli-de_accuracy", "'nli-de' has no validation split with answers"),
    ):
        with pytest.raises(InputError) as caught:
            check(name, True)
        assert message in str(caught.value)
    check("weighted_avg", True, weighted=True)


@pytest.mark.parametrize("name", ["avg", "worst"])
def test_averages_of_nothing(name: str) -> None:
    with pytest.raises(InputError, match=f"{name}: no corpus that is validated counts in averages"):
        check(name, True, ("mlm-en", "mlm-de"))
