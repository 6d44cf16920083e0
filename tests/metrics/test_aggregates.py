"""Averages over corpora against what their names say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.metrics.aggregates import aggregates, read_weights

LANGUAGES = {"nli-en": "en", "nli-de": "de", "rte": "en", "cola": "en"}
VALUES = st.dictionaries(st.sampled_from([*LANGUAGES, "mlm"]), st.floats(-1, 1), min_size=1)
WEIGHTS = st.dictionaries(st.sampled_from(list(LANGUAGES)), st.floats(0.01, 9))


@given(VALUES, WEIGHTS)
def test_each_is_what_it_says_over_what_was_scored(values: dict[str, float], weights: dict[str, float]) -> None:
    found = {name: one.value(values) for name, one in aggregates(LANGUAGES, weights).items()}
    averaged = [name for name in LANGUAGES if name in values]
    scored = [values[name] for name in averaged]
    english = [values[name] for name in averaged if LANGUAGES[name] == "en"]
    assert found.pop("avg") == pytest.approx(np.mean(scored) if scored else 0)
    assert found.pop("avg_en") == pytest.approx(np.mean(english) if english else 0)
    assert found.pop("avg_de") == values.get("nli-de", 0)
    assert found.pop("worst") == min(scored, default=0)
    if weights:
        of = [weights.get(name, 1.0) for name in averaged]
        expected = np.average(scored, weights=of) if scored else 0
        assert found.pop("weighted_avg") == pytest.approx(expected)
    assert not found


def test_without_a_corpus_to_average_there_is_only_avg() -> None:
    assert {name: one.value({"mlm": 12.5}) for name, one in aggregates({}, {}).items()} == {"avg": 0}


def test_weights() -> None:
    assert read_weights(" rte = 2,cola=.5,", LANGUAGES, "--w") == {"rte": 2, "cola": 0.5}
    assert read_weights("", LANGUAGES, "--w") == {}
    assert read_weights("rte=0", LANGUAGES, "--w") == {"rte": 0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rte", "--w rte: expected CORPUS=WEIGHT with a weight of 0 or more, as rte=2,mnli=0.5"),
        ("rte=-1", "--w rte=-1: expected CORPUS=WEIGHT"),
        ("rte=nan", "--w rte=nan: expected"),
        ("rte=inf", "--w rte=inf: expected"),
        ("rte:2", "--w rte:2: expected"),
        ("nli_de=2", "--w: 'nli_de' is no corpus that counts in averages; did you mean 'nli-de'?"),
        ("rte=1,rte=2", "--w: 'rte' is named twice"),
        ("nli-en=0,nli-de=0,rte=0,cola=0", "--w: all weights are 0"),
    ],
)
def test_weights_that_are_none(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_weights(text, LANGUAGES, "--w")
    assert message in str(caught.value)


def test_a_weight_without_a_corpus_to_average() -> None:
    with pytest.raises(InputError, match="'mlm' is no corpus that counts in averages; no corpus does"):
        read_weights("mlm=1", [], "--w")
