"""The threshold of no answer, against all thresholds, scored by the metric."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from skill_plugin.inference.calibration import calibrate, with_calibrations
from skill_plugin.inference.evaluation import score_split
from skill_plugin.kinds.calibration import Calibration
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import examples, make_world


@pytest.mark.parametrize("metric", ["f1", "exact_match"])
def test_no_threshold_scores_better(encoder: TextEncoder, metric: str, tmp_path: Path) -> None:
    rows = examples("span", 16, words=8)
    rows = [row._replace(answer=()) if number % 3 == 0 else row for number, row in enumerate(rows)]
    world = make_world(tmp_path / "bin", encoder, {"span": rows}, {"span": f"metric: {metric}"}, max_length=40)
    model = world.model()
    differences = [one.no_answer for one in model.predict_examples("span", rows)]  # type: ignore[attr-defined]
    assert min(differences) < max(differences)
    found, _ = calibrate(model, str(world.folder))
    calibration = found["span"].calibration
    assert calibration.temperature == 1.0

    def score(threshold: float) -> float:
        asked = with_calibrations(model, {"span": Calibration(thresholds=(threshold,))})
        return score_split(asked, replace(world.examples("span"), items=asked.items("span"))).value

    every = [score(difference + shift) for difference in differences for shift in (-1e-3, 1e-3)]
    assert found["span"].before.value == score(0.0)
    assert found["span"].after.value == score(*calibration.thresholds) == pytest.approx(max([*every, score(0.0)]))


def test_without_such_questions_there_is_none(encoder: TextEncoder, tmp_path: Path) -> None:
    rows = [row for row in examples("span", 12) if row.answer]
    world = make_world(tmp_path / "bin", encoder, {"span": rows, "one": examples("one", 4)})
    found, left_out = calibrate(world.model(), str(world.folder))
    assert (list(found), left_out) == (["one"], {"span": "has nothing to calibrate"})
