"""A prediction is one line with as many tabs as it has parts, whatever labels and texts hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.kinds.classification.answer import ClassPrediction
from skill_plugin.kinds.labelling.answer import Entity, TagsPrediction
from skill_plugin.kinds.masked_lm.answer import FillPrediction
from skill_plugin.kinds.multilabel.answer import LabelsPrediction
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.kinds.ranking.answer import RankingPrediction
from skill_plugin.kinds.regression.answer import ScorePrediction
from skill_plugin.kinds.span.answer import Candidate, SpanPrediction

PIECE = st.text("ab \t\n\r\u2028\x85\x1c=,", min_size=1, max_size=6)


@given(PIECE, PIECE)
def test_one_line(one: str, other: str) -> None:
    shares = {one: 0.25, other: 0.75}
    best = Candidate(one, 3, 9, 1.5, 0.5)
    predictions: list[tuple[Prediction, int]] = [
        (ClassPrediction(one, shares), 1),
        (LabelsPrediction([one, other], shares), 1),
        (ScorePrediction(1.5, 1.75), 0),
        (RankingPrediction(1, [1, 0], [0.25, 0.75]), 1),
        (TagsPrediction([one], [other], [Entity("X", 0, 0, one, 0, 2)]), 0),
        (SpanPrediction(one, 3, 9, 0.5, -1.0, [best]), 3),
        (FillPrediction([shares, shares]), 1),
        (FillPrediction([]), 0),
    ]
    for prediction, tabs in predictions:
        line = prediction.to_line()
        assert line.count("\t") == tabs
        assert not set("\n\r\u2028\x85\x1c") & set(line)
        assert json.loads(json.dumps(prediction.to_json())) == prediction.to_json()


def test_what_it_says() -> None:
    assert ClassPrediction("yes", {"no": 0.2, "yes": 0.8}).to_line() == "yes\tno=0.2000 yes=0.8000"
    assert LabelsPrediction(["a", "c"], {"a": 0.9}).to_line() == "a,c\ta=0.9000"
    assert RankingPrediction(1, [1, 0], [0.25, 0.75]).to_line() == "1\t0.2500 0.7500"
    assert TagsPrediction(["a", "b"], ["O", "B-X"], []).to_line() == "O B-X"
    assert SpanPrediction("two\n words", 3, 13, 0.5, 0.0, []).to_line() == "two words\t3\t13\t0.5000"
    found = SpanPrediction("", 0, 0, 0.0, 1.0, [Candidate("a", 0, 1, 2.0, 1.0)]).to_json()
    assert found["n_best"] == [{"text": "a", "start": 0, "end": 1, "score": 2.0, "probability": pytest.approx(1.0)}]
