"""Candidates by themselves, against loops over queries."""

from __future__ import annotations

import math
from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.objectives.loss_scaling import scaled_losses
from skill_plugin.objectives.pointwise import Pointwise
from tests.objectives.direct import (
    DISTANCES,
    SCALES,
    SIZES,
    assert_divergences,
    assert_entropies,
    assert_losses,
    assert_probabilities,
    entropy,
    kl,
    log_softmax,
    mean,
    outputs,
    pair,
    runs,
    softmax,
    whole,
)

FAMILIES = [(Pointwise(), 2), (Pointwise(graded=True), 5)]


@given(SIZES, SCALES, st.integers(0, 99))
def test_losses(sizes: list[int], scale: float, seed: int) -> None:
    logits, relevance = outputs(sum(sizes), 2, seed, scale), whole(sum(sizes), 4, seed)
    losses = Pointwise().losses(logits, {"relevance": relevance, "sizes": torch.tensor(sizes)})
    assert losses.classes == 2
    expected = []
    for run in runs(sizes):
        rows, right = logits[run].tolist(), relevance[run].tolist()
        each = [-log_softmax(row)[1 if grade > 0 else 0] for row, grade in zip(rows, right, strict=True)]
        expected.append(sum(each) / len(each))
    assert_losses(losses, expected, logits)


@given(SIZES, SCALES, st.integers(0, 99), st.randoms(use_true_random=False))
def test_losses_by_grades(sizes: list[int], scale: float, seed: int, rng: Random) -> None:
    """Softmax over five grades of each candidate, the mean over a query's candidates, / log 5 with log-classes."""
    logits = outputs(sum(sizes), 5, seed, scale)
    grades = [rng.randrange(5) for _ in range(sum(sizes))]
    target = {"relevance": torch.tensor(grades), "sizes": torch.tensor(sizes)}
    losses = Pointwise(graded=True).losses(logits, target)
    assert losses.classes == 5
    each = [-log_softmax(row)[grade] for row, grade in zip(logits.tolist(), grades, strict=True)]
    expected = [sum(each[run]) / (run.stop - run.start) for run in runs(sizes)]
    scaled = scaled_losses(losses, "log-classes").tolist()
    assert scaled == pytest.approx([loss / math.log(5) for loss in expected], rel=1e-4, abs=1e-5)
    assert_losses(losses, expected, logits)


@pytest.mark.parametrize(("family", "classes"), FAMILIES)
@given(SIZES, DISTANCES)
def test_divergences(family: Pointwise, classes: int, sizes: list[int], distance: float) -> None:
    target = {"relevance": whole(sum(sizes), classes, 0), "sizes": torch.tensor(sizes)}
    both = pair(sum(sizes), classes, distance)
    each = [kl(p, q) for p, q in zip(*(one.tolist() for one in both), strict=True)]
    assert_divergences(family, both, target, [mean(each[run]) for run in runs(sizes)])


@pytest.mark.parametrize(("family", "classes"), FAMILIES)
@given(SIZES, SCALES)
def test_entropies_and_probabilities(family: Pointwise, classes: int, sizes: list[int], scale: float) -> None:
    logits = outputs(sum(sizes), classes, classes, scale)
    shares = [softmax(row) for row in logits.tolist()]
    each = [entropy(row) for row in shares]
    assert_entropies(family, logits, sizes, [mean(each[run]) for run in runs(sizes)], [classes] * len(sizes))
    assert_probabilities(family.probabilities(logits, sizes), shares)
