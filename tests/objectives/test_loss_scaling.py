"""DESIGN, invariant 7: a segment's loss is the mean over its own units, scaled by 1 / log C."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from skill_plugin.objectives.categorical import Categorical
from skill_plugin.objectives.family import Family, UnitLosses
from skill_plugin.objectives.listwise import Listwise
from skill_plugin.objectives.loss_scaling import segment_loss

VALUES = [0.5, 2.0, 0.25]


@pytest.mark.parametrize(
    ("classes", "divisors"),
    [
        (None, [1.0, 1.0, 1.0]),
        (1, [1.0, 1.0, 1.0]),
        (2, [math.log(2)] * 3),
        (250_002, [math.log(250_002)] * 3),
        (torch.tensor([4, 1, 9]), [math.log(4), 1.0, math.log(9)]),
    ],
)
def test_the_mean_over_units_scaled(classes: int | Tensor | None, divisors: list[float]) -> None:
    losses = UnitLosses(torch.tensor(VALUES), classes)
    expected = sum(value / divisor for value, divisor in zip(VALUES, divisors, strict=True)) / 3
    torch.testing.assert_close(segment_loss(losses, "log-classes"), torch.tensor(expected))
    torch.testing.assert_close(segment_loss(losses, "none"), torch.tensor(sum(VALUES) / 3))


def test_an_untrained_head_costs_one_whatever_its_classes() -> None:
    """What the scaling is for: uniform predictions give log C."""
    for classes in (2, 15, 30_000):
        target = {"classes": torch.zeros(4, dtype=torch.int64)}
        losses = Categorical().losses(torch.zeros(4, classes), target)
        torch.testing.assert_close(segment_loss(losses, "log-classes"), torch.tensor(1.0), atol=1e-4, rtol=0)
    target = {"relevance": torch.tensor([0, 1, 0, 2, 0]), "sizes": torch.tensor([3, 2])}
    losses = Listwise().losses(torch.zeros(5, 1), target)
    torch.testing.assert_close(segment_loss(losses, "log-classes"), torch.tensor(1.0))


@pytest.mark.parametrize("scaling", ["none", "log-classes"])
@pytest.mark.parametrize(
    ("family", "shape", "target"),
    [
        (Categorical(many_units=True), (0, 30), {"classes": torch.zeros(0, dtype=torch.int64)}),
        (Categorical(many_units=True, has_unknown=True), (0, 5), {"classes": torch.zeros(0, dtype=torch.int64)}),
        (Listwise(), (3, 1), {"relevance": torch.zeros(3), "sizes": torch.tensor([2, 1])}),
    ],
)
def test_a_segment_without_units_costs_nothing(
    family: Family, shape: tuple[int, int], target: dict[str, Tensor], scaling: str
) -> None:
    head = torch.nn.Linear(4, shape[1])
    one = segment_loss(family.losses(head(torch.randn(shape[0], 4)), target), scaling)
    assert one.shape == ()
    assert one.item() == 0.0
    one.backward()
    assert head.weight.grad is not None
    assert not head.weight.grad.any()


def test_unknown_scaling() -> None:
    with pytest.raises(ValueError, match="unknown loss scaling 'log'"):
        segment_loss(UnitLosses(torch.zeros(1), 2), "log")
