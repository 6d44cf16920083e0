"""What noise is drawn, and what it depends on."""

from __future__ import annotations

import pytest
import torch
from scipy import stats

from skill_plugin.objectives.draw_noise import deviation, draw_noise, noise_seed

CPU = torch.device("cpu")


@pytest.mark.parametrize(("kind", "law"), [("uniform", stats.uniform(-1e-5, 2e-5)), ("normal", stats.norm(scale=1e-5))])
def test_the_distribution(kind: str, law: stats.rv_continuous) -> None:
    values = draw_noise(kind, 1e-5, (200, 384), noise_seed(1, 0, [3]), CPU)
    assert values.dtype == torch.float32
    assert stats.kstest(values.flatten().double().numpy(), law.cdf).pvalue > 1e-3
    assert float(values.double().std()) == pytest.approx(deviation(kind, 1e-5), rel=0.01)
    assert deviation(kind, 1e-5) == pytest.approx(float(law.std()))


def test_it_depends_on_the_seed_the_update_and_the_examples_alone() -> None:
    seeds = [noise_seed(1, 5, [3, 4]), noise_seed(2, 5, [3, 4]), noise_seed(1, 6, [3, 4]), noise_seed(1, 5, [4, 3])]
    assert len(set(seeds)) == 4
    torch.manual_seed(7)
    before = torch.get_rng_state()
    first = draw_noise("normal", 1.0, (4, 3), seeds[0], CPU)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(8)
    assert torch.equal(draw_noise("normal", 1.0, (4, 3), noise_seed(1, 5, [3, 4]), CPU), first)
    for seed in seeds[1:]:
        assert not torch.equal(draw_noise("normal", 1.0, (4, 3), seed, CPU), first)


def test_an_unknown_noise_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one of: uniform, normal"):
        draw_noise("pink", 1.0, (1,), 0, CPU)
