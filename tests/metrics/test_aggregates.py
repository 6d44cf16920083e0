"""Averages over corpora against what their names say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.metrics.aggregates import make_aggregates, read_average_weights

LANGUAGES = {"nli-en": "en", "nli-de": "de", "rte": "en", "cola": "en"}
VALUES = st.dictionaries(st.sampled_from([*LANGUAGES, "mlm"]), st.floats(-1, 1), min_size=1)
WEIGHTS = st.dictionaries(st.sampled_from(list(LANGUAGES)), st.floats(0.01, 9))


GROUPS = {"nli": ("nli-en", "nli-de", "nli-sw")}


@given(VALUES, WEIGHTS)
def test_each_is_what_it_says_over_what_was_scored(values: dict[str, float], weights: dict[str, float]) -> None:
    found = {name: one.value(values) for name, one in make_aggregates(LANGUAGES, weights).items()}
    averaged = [name for name in LANGUAGES if name in values]
    scored = [values[name] for name in averaged]
    english = [values[name] for name in averaged if LANGUAGES[name] == "en"]
    assert found.pop("avg") == (pytest.approx(np.mean(scored)) if scored else None)
    assert found.pop("avg_en") == (pytest.approx(np.mean(english)) if english else None)
    assert found.pop("avg_de") == values.get("nli-de")
    assert found.pop("worst") == min(scored, default=None)
    if weights:
        of = [weights.get(name, 1.0) for name in averaged]
        assert found.pop("weighted_avg") == (pytest.approx(np.average(scored, weights=of)) if scored else None)
    assert not found


@given(VALUES, st.floats(0.01, 9))
def test_the_mean_of_a_group_counts_once(values: dict[str, float], weight: float) -> None:
    found = {name: one.value(values) for name, one in make_aggregates(LANGUAGES, {"nli": weight}, GROUPS).items()}
    nli = [values[name] for name in ("nli-en", "nli-de") if name in values]
    others = [values[name] for name in ("rte", "cola") if name in values]
    units = ([np.mean(nli)] if nli else []) + others
    assert found["avg"] == (pytest.approx(np.mean(units)) if units else None)
    assert found["worst"] == (pytest.approx(min(units)) if units else None)
    of = ([weight] if nli else []) + [1.0] * len(others)
    assert found["weighted_avg"] == (pytest.approx(np.average(units, weights=of)) if units else None)
    assert found["avg_de"] == values.get("nli-de")


def test_without_a_corpus_to_average_there_is_nothing() -> None:
    assert make_aggregates({}, {}) == {}


def test_average_weights() -> None:
    assert read_average_weights("rte=2,cola=0", LANGUAGES) == {"rte": 2, "cola": 0}
    for text, corpora, message in (
        ("nli-en=0,nli-de=0,rte=0,cola=0", LANGUAGES, "--average-weights: all weights are 0"),
        ("mlm=1", {}, "--average-weights: 'mlm' is no corpus that counts in averages"),
    ):
        with pytest.raises(InputError, match=message):
            read_average_weights(text, corpora)
