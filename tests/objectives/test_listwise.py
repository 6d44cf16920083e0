"""Candidates among one another, against loops over queries."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin.objectives.listwise import Listwise
from tests.objectives.direct import (
    DISTANCES,
    SCALES,
    SIZES,
    assert_divergences,
    assert_entropies,
    assert_losses,
    assert_probabilities,
    entropy,
    kl,
    log_softmax,
    outputs,
    pair,
    runs,
    softmax,
    whole,
)

FAMILY = Listwise()


@given(SIZES, SCALES, st.integers(0, 99), st.sampled_from([1, 2, 4]), st.booleans())
def test_losses(sizes: list[int], scale: float, seed: int, grades: int, floats: bool) -> None:
    scores, relevance = outputs(sum(sizes), 1, seed, scale), whole(sum(sizes), grades, seed)
    target = {"relevance": relevance.float() if floats else relevance, "sizes": torch.tensor(sizes)}
    losses = FAMILY.losses(scores, target)
    expected, kept = [], []
    for run, size in zip(runs(sizes), sizes, strict=True):
        grade = relevance[run].tolist()
        if not any(grade):
            continue
        row = log_softmax(scores[run].squeeze(1).tolist())
        expected.append(-sum(g / sum(grade) * x for g, x in zip(grade, row, strict=True)))
        kept.append(size)
    assert isinstance(losses.classes, Tensor)
    assert losses.classes.tolist() == kept
    assert_losses(losses, expected, scores)
    for run in runs(sizes):
        if not relevance[run].any():
            assert scores.grad is not None
            assert not scores.grad[run].any()


@given(SIZES, DISTANCES)
def test_divergences(sizes: list[int], distance: float) -> None:
    relevance = torch.arange(sum(sizes)) % 3
    target = {"relevance": relevance, "sizes": torch.tensor(sizes)}
    both = pair(sum(sizes), 1, distance)
    clean, noisy = (one.flatten().tolist() for one in both)
    kept = [run for run in runs(sizes) if relevance[run].any()]
    assert_divergences(FAMILY, both, target, [kl(clean[run], noisy[run]) for run in kept])
    assert len(FAMILY.losses(both[0], target).values) == len(kept)


@given(SIZES, SCALES)
def test_entropies_and_probabilities(sizes: list[int], scale: float) -> None:
    scores = outputs(sum(sizes), 1, len(sizes), scale)
    shares = [softmax(scores[run, 0].tolist()) for run in runs(sizes)]
    assert_entropies(FAMILY, scores, sizes, [entropy(row) for row in shares], sizes)
    assert_probabilities(FAMILY.probabilities(scores, sizes), [[p] for row in shares for p in row])
    assert_probabilities(FAMILY.probabilities(scores), [[p] for p in softmax(scores[:, 0].tolist())])
