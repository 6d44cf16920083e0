"""Scores of which less is better keep the digits by which they differ, however small they are."""

from __future__ import annotations

import pytest

from skill_plugin.report.comparison.table import show
from skill_plugin.report.page.numbers import show_change, show_score
from skill_plugin.report.results import CorpusResult, Results
from skill_plugin.report.score_table import make_score_table
from skill_plugin.report.score_text import score_text
from skill_plugin.report.spread import Spread


@pytest.mark.parametrize(
    ("value", "text"), [(0.00034, "0.000340"), (0.034, "0.0340"), (1.0, "1.00"), (12.34, "12.3"), (4523.44, "4523.4")]
)
def test_a_cost_has_three_digits_or_more(value: float, text: str) -> None:
    assert score_text(value, "perplexity") == text
    assert float(text) == pytest.approx(value, rel=5e-3)


def test_of_no_size() -> None:
    assert [score_text(x, "perplexity") for x in (0.0, float("inf"), float("nan"))] == ["0.0", "inf", "nan"]
    assert score_text(0.0034, "accuracy") == "0.3"


def test_tables_show_it() -> None:
    result = CorpusResult("en", "masked_lm", "perplexity", 0.034, 10, constant=0.0512, averaged=False)
    columns = make_score_table(Results("valid", {"text": result})).columns
    assert "0.0340 (0.0512)" in [str(cell) for column in columns for cell in column.cells]
    spread = Spread((0.034, 0.036))
    assert show(spread, "perplexity") == show_score(spread, "perplexity") == "0.0350 ± 0.0014"
    assert (show_change(-0.002, "perplexity"), show_change(0.0, "perplexity")) == ("−0.00200", "±0.0")
