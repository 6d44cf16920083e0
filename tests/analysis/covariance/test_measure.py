"""Covariance similarity against the steps of CA-MTL's equation 3.7, written out with numpy's SVD."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from skill_plugin.analysis.covariance.measure import (
    CovarianceComparison,
    CovarianceSimilarity,
    covariance_similarity,
    factor,
)
from skill_plugin.analysis.covariance.plot import draw_covariance
from skill_plugin.analysis.covariance.table import covariance_tables
from skill_plugin.cli.analysis_options import Outputs
from skill_plugin.errors import InputError

Matrix = NDArray[np.float64]


def inputs(seed: int, rows: int = 40, features: int = 7) -> Matrix:
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, features)) * 3.0 ** -np.arange(features) @ random.normal(size=(features, features))


def direct(x: Matrix) -> tuple[Matrix, Matrix, int]:
    """(a) X^T X; (b) U, D of its best rank-r approximation, r with 99 % of the singular values."""
    u, singular, _ = np.linalg.svd(x.T @ x)
    rank = next(r for r in range(1, len(singular) + 1) if singular[:r].sum() >= 0.99 * singular.sum())
    return u[:, :rank], np.diag(singular[:rank]), rank


@pytest.mark.parametrize("seed", range(5))
def test_equation_3_7(seed: int) -> None:
    xs = [inputs(3 * seed + i) for i in range(3)]
    model = CovarianceSimilarity.of("m.pt", [x.T @ x for x in xs])
    expected = np.ones((3, 3))
    for i in range(3):
        for j in range(3):
            if i == j:
                continue
            (u, d, _), (v, e, _) = direct(xs[i]), direct(xs[j])
            first, second = u @ np.sqrt(d), v @ np.sqrt(e)
            top = np.sqrt(((first.T @ second) ** 2).sum())
            expected[i, j] = top / (np.sqrt((first**2).sum()) * np.sqrt((second**2).sum()))
    np.testing.assert_allclose(model.scores, expected, atol=1e-10)
    assert model.ranks == tuple(direct(x)[2] for x in xs)
    assert min(model.ranks) > 1 and max(model.ranks) < 7
    for i in range(3):
        others = [expected[i, j] for j in range(3) if j != i]
        assert model.means[i] == pytest.approx(sum(others) / 2)


def test_the_rank_contains_99_per_cent() -> None:
    assert factor(np.diag([99.0, 0.5, 0.5])).shape == (3, 1)
    assert factor(np.diag([0.5, 98.9, 0.6])).shape == (3, 2)
    assert factor(np.eye(100)).shape == (100, 99)
    approximation = factor(np.diag([3.0, 1.0]))
    np.testing.assert_allclose(approximation @ approximation.T, np.diag([3.0, 1.0]), atol=1e-12)


def test_extremes() -> None:
    one, other = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    assert covariance_similarity(factor(one), factor(5 * one)) == pytest.approx(1)
    assert covariance_similarity(factor(one), factor(other)) == pytest.approx(0)


def comparison() -> CovarianceComparison:
    models = {
        title: CovarianceSimilarity.of(f"{title}.pt", [inputs(seed + i).T @ inputs(seed + i) for i in range(3)])
        for seed, title in ((0, "before"), (10, "after"))
    }
    return CovarianceComparison("valid", {"mnli": 1200, "cola": 34, "rte": 5}, models)


def test_table_json_and_plot(tmp_path: Path) -> None:
    found = comparison()
    Outputs(tmp_path / "c.json").write(found)
    stored = json.loads((tmp_path / "c.json").read_text())
    after = found.models["after"]
    assert stored["models"]["after"]["mean"]["cola"] == after.means[1]
    assert stored["models"]["after"]["ranks"]["rte"] == after.ranks[2]
    assert np.shape(stored["models"]["before"]["similarity"]) == (3, 3)
    console = Console(width=150)
    with console.capture() as captured:
        for table in covariance_tables(found):
            console.print(table)
    rows = [line.split() for line in captured.get().replace("│", " ").splitlines()]
    means = [100 * float(found.models[title].means[0]) for title in ("before", "after")]
    ranks = [str(found.models[title].ranks[0]) for title in ("before", "after")]
    change = f"{means[1] - means[0]:+.1f}"
    assert ["mnli", "1,200", *(f"{mean:.1f}" for mean in means), change, *ranks] in rows
    assert ["2", "cola", f"{100 * after.scores[1, 0]:.1f}", f"{100 * after.scores[1, 2]:.1f}"] in rows
    draw_covariance(found, tmp_path / "c.png")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "d.svg").mkdir()
    with pytest.raises(InputError, match="is a directory"):
        draw_covariance(found, tmp_path / "d.svg")
