"""Planned and actual shares of what was trained on."""

from __future__ import annotations

import json

import numpy as np
import pytest

from skill_plugin.report.share_table import format_shares
from skill_plugin.sampling.training_shares import CorpusShare, TrainingShares


def test_counts_of_an_epoch_and_of_the_run() -> None:
    shares = TrainingShares(["a", "b", "tested"], [10, 40, 0])
    shares.begin_epoch(1)
    shares.add(np.array([0.25, 0.75, 0]), np.array([1.0, 3, 0]), np.array([4.0, 12, 0]))
    shares.begin_epoch(2)
    planned = shares.add(np.array([0.5, 0.5, 0]), np.array([4.0, 0, 0]), np.array([16.0, 0, 0]))
    assert planned.tolist() == [2, 2, 0]
    assert shares.epoch() == {"a": CorpusShare(0.5, 1.0, 4, 16, 1.6), "b": CorpusShare(0.5, 0.0, 0, 0, 0.0)}
    assert shares.run() == {"a": CorpusShare(3 / 8, 5 / 8, 5, 20, 2.0), "b": CorpusShare(5 / 8, 3 / 8, 3, 12, 0.3)}


def test_shares_of_examples() -> None:
    shares = TrainingShares(["a", "b"], [10, 40], by_examples=True)
    shares.add(np.array([0.5, 0.5]), np.array([1.0, 1]), np.array([3.0, 1]))
    assert shares.run()["a"] == CorpusShare(0.5, 0.75, 1, 3, 0.3)


def test_a_run_goes_on_from_its_state() -> None:
    shares = TrainingShares(["a", "b"], [10, 40])
    shares.begin_epoch(3)
    shares.add(np.array([0.1, 0.9]), np.array([1.0, 3]), np.array([4.0, 12]))
    shares.chosen = 7
    again = TrainingShares.from_state(json.loads(json.dumps(shares.to_state())))
    again.begin_epoch(3)
    assert (again.epoch(), again.run()) == (shares.epoch(), shares.run())
    assert (again.data_used, again.batches) == (7 / 50, 4)
    again.begin_epoch(4)
    assert again.epoch()["a"].batches == 0
    assert again.run() == shares.run()


def test_nothing_trained_on_yet() -> None:
    assert TrainingShares(["a"], [3]).run()["a"] == CorpusShare(0, 0, 0, 0, 0)


def test_lines_of_a_table() -> None:
    lines = format_shares({"reviews-de": CorpusShare(0.25, 1 / 3, 1234, 9872, 1.5), "x": CorpusShare(0.75, 0, 0, 0, 0)})
    assert [line.split() for line in lines] == [
        ["corpus", "planned", "share", "batches", "examples", "passes"],
        ["reviews-de", "25.00%", "33.33%", "1,234", "9,872", "1.50"],
        ["x", "75.00%", "0.00%", "0", "0", "0.00"],
    ]
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize("together", [1, 8])
def test_the_table_of_a_plan_is_its_own_count(together: int) -> None:
    """Shares of a plan as drawn, batch by batch, are what a loop over it counts."""
    from skill_plugin.sampling.plan import Planner
    from skill_plugin.sampling.sampler import Sampler

    sizes = [60, 30, 5]
    planner = Planner([np.full(n, 3) for n in sizes], Sampler("proportional"), 2, None, 1, None, together)
    shares, probabilities = TrainingShares(["a", "b", "c"], sizes), planner.outline(1).probabilities
    assert probabilities is not None
    examples = np.zeros(3)
    for batch in planner.plan(1):
        drawn = np.zeros((2, 3))
        for segment in batch.segments:
            drawn[:, segment.corpus] += 1, len(segment.examples)
        shares.add(probabilities, *drawn)
        examples += drawn[1]
    found = shares.run()
    assert [one.examples for one in found.values()] == examples.tolist()
    assert sum(one.share for one in found.values()) == pytest.approx(1)
    assert [one.planned_share for one in found.values()] == pytest.approx(probabilities.tolist())
