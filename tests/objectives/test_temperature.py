"""Temperatures, against a grid, and where the truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from skill_plugin.objectives.categorical import IGNORED, Categorical
from skill_plugin.objectives.family import Family
from skill_plugin.objectives.independent_labels import IndependentLabels
from skill_plugin.objectives.temperature import LEAST, MOST, fit_temperature, reached_bound


def drawn(temperature: float) -> tuple[Tensor, Tensor]:
    """Logits, and classes that are drawn with the probabilities under a temperature."""
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(4000, 4, generator=generator) * 4
    return logits, torch.multinomial((logits / temperature).softmax(1), 1, generator=generator)[:, 0]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_it_is_found_again(temperature: float) -> None:
    logits, classes = drawn(temperature)
    assert fit_temperature(Categorical(), logits, {"classes": classes}) == pytest.approx(temperature, rel=0.07)


@pytest.mark.parametrize("family", [Categorical(many_units=True, has_unknown=True), IndependentLabels()])
def test_no_temperature_of_a_grid_is_better(family: Family) -> None:
    logits, classes = (part[:60] for part in drawn(2.0))
    target = {
        "classes": classes.where(torch.arange(60) % 7 > 0, IGNORED),
        "labels": torch.rand(60, 4) < logits.sigmoid(),
    }

    def loss(degree: float) -> float:
        scaled = logits.double().numpy() / degree
        if isinstance(family, IndependentLabels):
            true = target["labels"].numpy()
            return float(np.mean(np.where(true, np.logaddexp(0, -scaled), np.logaddexp(0, scaled))))
        logs = scaled - np.logaddexp.reduce(scaled, 1, keepdims=True)
        return -float(np.mean([logs[i, c] for i, c in enumerate(target["classes"].tolist()) if c >= 0]))

    found = fit_temperature(family, logits, target)
    assert loss(found) <= min(loss(float(one)) for one in np.geomspace(LEAST, MOST, 400)) + 1e-6


def test_where_all_is_right_it_is_small() -> None:
    logits = torch.eye(3) * 5
    assert LEAST <= fit_temperature(Categorical(), logits, {"classes": torch.arange(3)}) < 0.5
    assert math.isfinite(fit_temperature(Categorical(), torch.zeros(3, 3), {"classes": torch.arange(3)}))


@pytest.mark.parametrize(("sign", "factor", "bound"), [(-1, 9, "greatest"), (1, 1e-3, "least"), (1, 1, None)])
def test_a_bound_that_is_reached_is_told(sign: float, factor: float, bound: str | None) -> None:
    """Logits that say the contrary are best ignored, those that are right and tiny best made large."""
    logits, classes = drawn(1.0)
    found = fit_temperature(Categorical(), sign * factor * logits, {"classes": classes})
    assert reached_bound(found) == bound
