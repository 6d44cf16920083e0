"""Weights of corpora are read, or refused in one line."""

from __future__ import annotations

import pytest

from skill_plugin.errors import InputError
from skill_plugin.options.corpus_weights import parse_weights

CORPORA = ["nli-en", "nli-de", "rte", "cola"]


def test_weights() -> None:
    assert parse_weights(" rte = 2,cola=.5,", CORPORA, "--w", "counts") == {"rte": 2, "cola": 0.5}
    assert parse_weights("", CORPORA, "--w", "counts") == {}
    assert parse_weights("rte=0", CORPORA, "--w", "counts") == {"rte": 0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rte", "--w rte: expected CORPUS=WEIGHT with a weight of 0 or more, as rte=2,mnli=0.5"),
        ("rte=-1", "--w rte=-1: expected CORPUS=WEIGHT"),
        ("rte=nan", "--w rte=nan: expected"),
        ("rte=inf", "--w rte=inf: expected"),
        ("rte:2", "--w rte:2: expected"),
        ("nli_de=2", "--w: 'nli_de' is no corpus that counts; did you mean 'nli-de'?"),
        ("rte=1,rte=2", "--w rte=2: 'rte' is named twice"),
    ],
)
def test_weights_that_are_none(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_weights(text, CORPORA, "--w", "counts")
    assert message in str(caught.value)
