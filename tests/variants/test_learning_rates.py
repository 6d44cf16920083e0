"""Learning rates by depth."""

from __future__ import annotations

import pytest

from skill_plugin.variants.learning_rates import rate_factor


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("encoder.layers.11.attention.qkv.weight", 1.0),
        ("encoder.layers.10.feed_forward.task_skills.generic.fc1.bias", 0.5),
        ("encoder.layers.0.feed_forward.gates.rte.weight", 0.5**11),
        ("encoder.embeddings.tokens.weight", 0.5**12),
        ("encoder.task_embeddings.rows.rte.weight", 1.0),
        ("heads.rte.dense.weight", 3.0),
    ],
)
def test_factors(name: str, factor: float) -> None:
    assert rate_factor(name, 12, 0.5, 3.0) == factor
    assert rate_factor(name, 12, 1.0, 1.0) == 1.0
