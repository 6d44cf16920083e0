"""Which modules tokens activate, where corpora name no task skill."""

from __future__ import annotations

import pytest
import torch

from skill_plugin.nn.activation import Activations
from skill_plugin.nn.active_set import ActiveSet


@pytest.mark.parametrize(
    ("skills", "names", "columns", "shares"),
    [
        (((), ()), ("en", "zh"), [[0], [0], [1], [1], [1]], [1, 1, 1, 1, 1]),
        (((), ("a",)), ("a", "en", "zh"), [[3, 1]] * 2 + [[0, 2]] * 3, [1, 1, 0.5, 0.5, 0.5]),
    ],
)
def test_only_a_language(
    skills: tuple[tuple[str, ...], ...], names: tuple[str, ...], columns: list[list[int]], shares: list[float]
) -> None:
    active = [ActiveSet(own, language) for own, language in zip(skills, ("en", "zh"), strict=True)]
    found = Activations(active, [2, 3], torch.device("cpu")).skills_and_language
    assert found.names == names
    assert (found.columns.dtype, found.columns.tolist()) == (torch.int64, columns)
    assert found.shares.squeeze(1).tolist() == shares
