"""Any number of labels a unit, against loops over labels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.objectives.independent_labels import IndependentLabels
from tests.objectives.direct import (
    DISTANCES,
    SCALES,
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
    softmax,
    whole,
)

FAMILY = IndependentLabels()


@given(st.integers(0, 5), st.integers(1, 5), SCALES)
def test_losses(units: int, labels: int, scale: float) -> None:
    logits, right = outputs(units, labels, units, scale), whole(units * labels, 2, labels).view(units, labels).float()
    losses = FAMILY.losses(logits, {"labels": right})
    assert losses.classes == 2
    expected = []
    for row, given_labels in zip(logits.tolist(), right.tolist(), strict=True):
        each = [-log_softmax([0.0, x])[int(y)] for x, y in zip(row, given_labels, strict=True)]
        expected.append(sum(each) / labels)
    assert_losses(losses, expected, logits)


@given(st.integers(0, 5), st.integers(1, 5), DISTANCES)
def test_divergences(units: int, labels: int, distance: float) -> None:
    both = pair(units, labels, distance)
    rows = zip(*(one.tolist() for one in both), strict=True)
    expected = [mean([kl([a, 0.0], [b, 0.0]) for a, b in zip(*row, strict=True)]) for row in rows]
    assert_divergences(FAMILY, both, {}, expected)


@given(st.integers(0, 5), st.integers(1, 5), SCALES)
def test_entropies(units: int, labels: int, scale: float) -> None:
    logits = outputs(units, labels, units, scale)
    expected = [mean([entropy(softmax([0.0, x])) for x in row]) for row in logits.tolist()]
    assert_entropies(FAMILY, logits, [1] * units, expected, [2] * units)


@given(st.integers(0, 5), st.integers(1, 5), SCALES)
def test_probabilities(units: int, labels: int, scale: float) -> None:
    logits = outputs(units, labels, units, scale)
    assert_probabilities(FAMILY.probabilities(logits), [[softmax([0.0, x])[1] for x in row] for row in logits.tolist()])
