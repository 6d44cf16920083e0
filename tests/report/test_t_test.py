"""Student's t-test, by its formula."""

from __future__ import annotations

import math

import pytest

from skill_plugin.report.t_test import t_test


def test_three_pairs() -> None:
    ours, theirs = [0.8, 0.7, 0.9], [0.6, 0.65, 0.65]
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    mean = sum(differences) / 3
    t = mean / math.sqrt(sum((one - mean) ** 2 for one in differences) / 2 / 3)
    # two degrees of freedom have a distribution in closed form
    assert t_test(ours, theirs, paired=True) == pytest.approx(1 - t / math.sqrt(2 + t * t))
    assert t_test(ours, theirs, paired=False) != t_test(ours, theirs, paired=True)


def test_runs_that_are_too_few_or_all_the_same() -> None:
    assert t_test([0.5], [0.4], paired=True) is None
    assert t_test([0.5, 0.75], [0.25, 0.5], paired=True) == 0
    assert t_test([0.5, 0.75], [0.5, 0.75], paired=True) == 1
