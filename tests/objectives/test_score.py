"""One score a unit."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin.objectives.score import Score
from tests.objectives.direct import (
    DISTANCES,
    assert_divergences,
    assert_entropies,
    assert_losses,
    assert_probabilities,
    entropy,
    outputs,
    pair,
)


def share(score: float, lowest: float, highest: float) -> float:
    """Of the range that lies below a score."""
    return min(max((score - lowest) / (highest - lowest), 0.0), 1.0)


@given(st.integers(0, 7))
def test_losses(units: int) -> None:
    predicted, scores = outputs(units, 1, units), outputs(units, 1, 99).detach().squeeze(1)
    losses = Score().losses(predicted, {"scores": scores})
    assert losses.classes is None
    assert_losses(
        losses, [(x - y) ** 2 for (x,), y in zip(predicted.tolist(), scores.tolist(), strict=True)], predicted
    )


@given(st.integers(0, 5), DISTANCES)
def test_divergences(units: int, distance: float) -> None:
    """Of Gaussians with variance v = 1/2, for which (a - y)^2 is the loss: KL is (a - b)^2 / (2 v), both ways."""
    both = pair(units, 1, distance)
    expected = [2 * (a - b) ** 2 for (a,), (b,) in zip(*map(Tensor.tolist, both), strict=True)]
    assert_divergences(Score(), both, {}, expected)


@pytest.mark.parametrize(("lowest", "highest"), [(-1.0, 1.0), (0.0, 5.0)])
@given(st.integers(0, 7))
def test_entropies_and_probabilities(lowest: float, highest: float, units: int) -> None:
    predicted = outputs(units, 1, units, 2.0)
    shares = [share(x, lowest, highest) for (x,) in predicted.tolist()]
    family = Score(lowest, highest)
    assert_entropies(family, predicted, [1] * units, [entropy([p, 1 - p]) for p in shares], [2] * units)
    assert_probabilities(family.probabilities(predicted), [[p] for p in shares])


def test_the_ends_of_the_range_are_sure_whatever_it_is() -> None:
    for score in (-1.0, 1.0, 1.5):
        assert Score().entropies(torch.tensor([[score]]), [1]).values.tolist() == [0.0]
        raw = torch.tensor([[2.5 * (score + 1)]])
        assert Score(0.0, 5.0).entropies(raw, [1]).values.tolist() == [0.0]
    raw = Score(0.0, 5.0).entropies(torch.tensor([[2.0]]), [1])
    torch.testing.assert_close(raw, Score().entropies(torch.tensor([[-0.2]]), [1]))
    assert Score(3.0, 3.0).entropies(torch.tensor([[3.0]]), [1]).values.tolist() == [0.0]  # a range of one score
