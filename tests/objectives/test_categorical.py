"""One class a unit, against loops over units."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.categorical import IGNORED, Categorical
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
    runs,
    softmax,
    whole,
)

FAMILIES = [Categorical(), Categorical(many_units=True), Categorical(many_units=True, has_unknown=True)]


@pytest.mark.parametrize("family", FAMILIES)
@given(st.integers(0, 9), st.integers(1, 5), SCALES)
def test_losses(family: Categorical, units: int, classes: int, scale: float) -> None:
    logits, right = outputs(units, classes, units, scale), whole(units, classes, classes)
    losses = family.losses(logits, {"classes": right})
    assert losses.classes == classes
    assert (losses.known is None) == (not family.has_unknown)
    assert_losses(
        losses, [-log_softmax(row)[c] for row, c in zip(logits.tolist(), right.tolist(), strict=True)], logits
    )


def test_an_unknown_class_has_no_loss() -> None:
    logits, target = outputs(3, 4, 0), {"classes": torch.tensor([1, IGNORED, 0])}
    losses = Categorical(many_units=True, has_unknown=True).losses(logits, target)
    assert losses.known is not None
    assert losses.known.tolist() == [True, False, True]
    assert losses.values[1] == 0
    losses.values.sum().backward()
    assert logits.grad is not None
    assert not logits.grad[1].any()


def test_scores_of_the_right_classes_are_their_losses() -> None:
    scores = TokenScores(torch.tensor([0.5, 2.0]), torch.tensor([True, False]), 30)
    losses = Categorical(many_units=True).losses(scores, {})
    assert losses.values is scores.losses
    assert (losses.classes, losses.known) == (30, None)


@pytest.mark.parametrize("family", FAMILIES)
@given(st.integers(0, 6), st.integers(1, 6), DISTANCES)
def test_divergences(family: Categorical, units: int, classes: int, distance: float) -> None:
    both = pair(units, classes, distance)
    assert_divergences(family, both, {}, [kl(p, q) for p, q in zip(*(one.tolist() for one in both), strict=True)])


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(1, 60), SCALES)
def test_entropies(units: list[int], classes: int, scale: float) -> None:
    logits = outputs(sum(units), classes, classes, scale)
    each = [entropy(softmax(row)) for row in logits.tolist()]
    assert_entropies(Categorical(), logits, [1] * len(each), each, [classes] * len(each))
    means = [mean(each[run]) for run in runs(units)]  # an example without units has 0
    assert_entropies(Categorical(many_units=True), logits, units, means, [classes] * len(units))


@given(st.integers(0, 6), st.integers(1, 6), SCALES)
def test_probabilities(units: int, classes: int, scale: float) -> None:
    logits = outputs(units, classes, classes, scale)
    assert_probabilities(Categorical().probabilities(logits), [softmax(row) for row in logits.tolist()])


def test_a_sure_answer_has_no_entropy() -> None:
    for logits in (torch.tensor([[200.0, -200.0]]), torch.tensor([[-1e30, 1e30]])):
        assert Categorical().entropies(logits, [1]).values.tolist() == [0.0]
