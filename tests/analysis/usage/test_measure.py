"""Shares, entropy and overlap against closed forms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

from skill_plugin.analysis.usage.measure import CorpusUsage, ExpertUsage, normalised_entropy, overlaps
from skill_plugin.cli.analysis_options import Outputs
from skill_plugin.errors import InputError


def counts(corpora: int, layers: int, experts: int) -> st.SearchStrategy[NDArray[np.int64]]:
    """Choices [C, L, E] of k = 2, of which each layer of a corpus has at least one."""
    one = arrays(np.int64, (corpora, layers, experts), elements=st.integers(0, 10**6))
    return one.map(lambda found: found + np.eye(experts, dtype=np.int64)[0])


def usage_of(found: NDArray[np.int64], languages: str = "ab") -> ExpertUsage:
    corpora = {
        f"c{i}": CorpusUsage(languages[i % len(languages)], 3, int(one[0].sum()), one) for i, one in enumerate(found)
    }
    return ExpertUsage("mt_tag", "valid", tuple(range(1, 1 + found.shape[1])), 1, corpora)


@given(st.integers(1, 4).flatmap(lambda e: counts(3, 2, e)))
def test_shares_add_up_and_stay_in_bounds(found: NDArray[np.int64]) -> None:
    usage = usage_of(found)
    groups = [*usage.corpora.values(), *usage.languages.values(), usage.everything]
    for group in groups:
        np.testing.assert_allclose(group.shares.sum(-1), 1)
        assert (group.entropy > -1e-12).all() and (group.entropy < 1 + 1e-12).all()
    np.testing.assert_allclose(usage.everything.even_shares.sum(-1), 1)
    overlap = usage.overlap
    np.testing.assert_allclose(np.diagonal(overlap, axis1=1, axis2=2), 1)
    np.testing.assert_array_equal(overlap, overlap.transpose(0, 2, 1))
    assert (overlap >= 0).all() and (overlap < 1 + 1e-12).all()


@given(counts(2, 3, 5))
def test_entropy_is_scipys(found: NDArray[np.int64]) -> None:
    for corpus in usage_of(found).corpora.values():
        for layer in range(3):
            expected = stats.entropy(corpus.counts[layer], base=5)
            assert corpus.entropy[layer] == pytest.approx(expected, abs=1e-12)


@given(counts(3, 2, 4))
def test_overlap_is_one_less_total_variation(found: NDArray[np.int64]) -> None:
    usage = usage_of(found)
    shares = [corpus.shares for corpus in usage.corpora.values()]
    for layer in range(2):
        for i in range(3):
            for j in range(3):
                distance = sum(abs(p - q) for p, q in zip(shares[i][layer], shares[j][layer], strict=True)) / 2
                assert usage.overlap[layer, i, j] == pytest.approx(1 - distance, abs=1e-12)
    np.testing.assert_allclose(usage.mean_overlap, (usage.overlap[0] + usage.overlap[1]) / 2)


@pytest.mark.parametrize("experts", [2, 4, 10])
def test_closed_forms(experts: int) -> None:
    even, lone = np.full(experts, 1 / experts), np.eye(experts)[1]
    two = np.eye(experts)[:2].mean(0)
    np.testing.assert_allclose(normalised_entropy(np.stack([even, lone])), [1, 0], atol=1e-12)
    assert normalised_entropy(two) == pytest.approx(np.log(2) / np.log(experts))  # the least of two experts a token
    found = overlaps(np.stack([even, even, lone, np.eye(experts)[0]]))
    assert found[0, 1] == pytest.approx(1)  # identical
    assert found[2, 3] == 0  # disjoint
    assert found[0, 2] == pytest.approx(1 / experts)


def test_one_expert_is_used_evenly() -> None:
    usage = usage_of(np.array([[[7]], [[9]]]))
    assert [corpus.entropy.tolist() for corpus in usage.corpora.values()] == [[1.0], [1.0]]
    assert usage.mean_overlap.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_languages_and_all_are_over_tokens_and_evenly_over_corpora() -> None:
    usage = usage_of(np.array([[[30, 0]], [[4, 4]], [[0, 10]]]))  # languages a, b, a
    a = usage.languages["a"]
    assert list(a.corpora) == ["c0", "c2"]
    assert (a.tokens, a.counts.tolist()) == (40, [[30, 10]])
    assert a.shares.tolist() == [[0.75, 0.25]]
    assert a.even_shares.tolist() == [[0.5, 0.5]]
    assert a.even_entropy.tolist() == [1.0] != a.entropy.tolist()
    np.testing.assert_allclose(usage.everything.shares, [[34 / 48, 14 / 48]])
    np.testing.assert_allclose(usage.everything.even_shares, [[0.5, 0.5]])


def test_json(tmp_path: Path) -> None:
    usage = usage_of(np.array([[[3, 1], [2, 2]], [[0, 4], [4, 0]]]))
    Outputs(tmp_path / "new" / "usage.json").write(usage)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["usage.json"]
    found = json.loads((tmp_path / "new" / "usage.json").read_text())
    assert found == usage.to_json()
    assert (found["layers"], found["experts"], found["experts_per_token"]) == ([1, 2], 2, 1)
    one = found["corpora"]["c0"]
    assert {name: one[name] for name in ("language", "rows", "tokens")} == {"language": "a", "rows": 3, "tokens": 4}
    assert one["counts"] == [[3, 1], [2, 2]]
    assert one["shares"] == [[0.75, 0.25], [0.5, 0.5]]
    assert one["entropy"][1] == 1
    assert set(found["languages"]["b"]) == {
        "corpora", "tokens", "counts", "shares", "entropy", "even_shares", "even_entropy",
    }  # fmt: skip
    assert found["all"]["corpora"] == found["overlap"]["corpora"] == ["c0", "c1"]
    assert found["overlap"]["by_layer"][0] == [[1, 0.25], [0.25, 1]]
    assert found["overlap"]["mean"] == [[1, 0.375], [0.375, 1]]


def test_what_cannot_be_written_is_not_begun(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"file/usage.json: .*(exists|directory)"):
        Outputs(tmp_path / "file" / "usage.json").write(usage_of(np.ones((1, 1, 2), np.int64)))
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="folder: is a directory"):
        Outputs(tmp_path / "folder").write(usage_of(np.ones((1, 1, 2), np.int64)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]
