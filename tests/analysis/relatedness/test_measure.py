"""Ranks by cosine and their fusion, against the formula written out; which components count; the graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine as distance

from skill_plugin.analysis.relatedness.graph import dot_text, draw_graph
from skill_plugin.analysis.relatedness.measure import TEXT, Relatedness, comparable, cosine, rank_sources


def drawn(corpora: int, components: int, seed: int) -> dict[str, dict[str, np.ndarray]]:
    random = np.random.default_rng(seed)
    names = [f"part{number}" for number in range(components)] + [TEXT]
    return {f"c{number}": {name: random.normal(size=4) for name in names} for number in range(corpora)}


@given(st.integers(2, 6), st.integers(0, 5), st.integers(0, 99))
def test_reciprocal_rank_fusion(corpora: int, components: int, seed: int) -> None:
    embeddings = drawn(corpora, components, seed)
    names = list(embeddings["c0"])
    scores = {}
    for source in embeddings:
        if source == "c0":
            continue
        scores[source] = 0.0
        for name in names:
            mine = cosine(embeddings[source][name], embeddings["c0"][name])
            assert mine == pytest.approx(1 - distance(embeddings[source][name], embeddings["c0"][name]))
            others = [
                cosine(embeddings[o][name], embeddings["c0"][name]) for o in embeddings if o not in ("c0", source)
            ]
            scores[source] += 1 / (60 + 1 + sum(other > mine for other in others))
    found = rank_sources("c0", embeddings, names)
    assert {source.corpus: source.score for source in found} == pytest.approx(scores)
    assert [source.score for source in found] == sorted((source.score for source in found), reverse=True)


def test_the_aggregate_has_the_texts_as_one_more_component() -> None:
    embeddings = drawn(5, 3, 1)
    found = Relatedness("both", dict.fromkeys(embeddings, 7), embeddings)
    parts = [name for name in embeddings["c0"] if name != TEXT]
    for target in embeddings:
        assert found.sources(target, "task") == rank_sources(target, embeddings, parts)
        assert found.sources(target, "both") == rank_sources(target, embeddings, [*parts, TEXT])
        by_text = found.sources(target, "text")
        assert [one.corpus for one in by_text] == [one.corpus for one in rank_sources(target, embeddings, [TEXT])]
        assert by_text[0].score == cosine(embeddings[target][TEXT], embeddings[by_text[0].corpus][TEXT])
        assert found.best[target] == found.sources(target, "both")[0].corpus
    content = found.to_json()
    assert content["targets"]["c1"]["text"][0]["corpus"] == found.sources("c1", "text")[0].corpus
    np.testing.assert_allclose(np.diagonal(content["cosines"]["part0"]), 1)


def test_only_what_all_corpora_have_in_one_size_counts() -> None:
    embeddings = drawn(3, 4, 2)
    embeddings["c1"]["part0"] = np.ones(3)
    embeddings["c2"]["part1"] = np.zeros(4)
    del embeddings["c0"]["part2"]
    assert comparable(embeddings) == (["part3", TEXT], ["part0", "part1", "part2"])


def test_an_edge_to_each_target_from_its_best_source(tmp_path: Path) -> None:
    best = {"a-en": "b", "b": 'c"', 'c"': "b"}
    text = dot_text(best, "both")
    assert text.splitlines()[0] == 'digraph "both" {'
    edges = [line.strip() for line in text.splitlines() if "->" in line]
    assert edges == ['"b" -> "a-en";', '"c\\"" -> "b";', '"b" -> "c\\"";']
    draw_graph(best, "both", tmp_path / "made" / "graph.dot")
    assert (tmp_path / "made" / "graph.dot").read_text() == text
    draw_graph(best, "both", tmp_path / "graph.svg")
    assert "<!-- a-en -->" in (tmp_path / "graph.svg").read_text()
    draw_graph(best, "both", tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")
