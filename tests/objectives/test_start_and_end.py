"""Where an answer begins and ends, against loops over windows."""

from __future__ import annotations

from random import Random

import torch
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.objectives.start_and_end import StartAndEnd
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
    mean,
    outputs,
    pair,
    runs,
    softmax,
)

FAMILY = StartAndEnd()


@given(SIZES, SCALES, st.integers(0, 99), st.randoms(use_true_random=False))
def test_losses(sizes: list[int], scale: float, seed: int, rng: Random) -> None:
    logits = outputs(sum(sizes), 2, seed, scale)
    starts, ends = ([rng.randrange(size) for size in sizes] for _ in range(2))
    target = {"sizes": torch.tensor(sizes), "starts": torch.tensor(starts), "ends": torch.tensor(ends)}
    losses = FAMILY.losses(logits, target)
    assert losses.classes is None
    expected = []
    for run, start, end in zip(runs(sizes), starts, ends, strict=True):
        columns = logits[run].T.tolist()
        expected.append(-(log_softmax(columns[0])[start] + log_softmax(columns[1])[end]) / 2)
    assert_losses(losses, expected, logits)


def test_gradients_of_windows_are_those_of_each_window_alone() -> None:
    sizes, starts, ends = [3, 1, 5], [2, 0, 0], [0, 0, 4]
    logits, alone = outputs(9, 2, 3), outputs(9, 2, 3)
    target = {"sizes": torch.tensor(sizes), "starts": torch.tensor(starts), "ends": torch.tensor(ends)}
    FAMILY.losses(logits, target).values.sum().backward()
    for run, start, end in zip(runs(sizes), starts, ends, strict=True):
        for column, right in enumerate((start, end)):
            loss = torch.nn.functional.cross_entropy(alone[run, column][None], torch.tensor([right])) / 2
            loss.backward()
    torch.testing.assert_close(logits.grad, alone.grad)


@given(SIZES, DISTANCES)
def test_divergences(sizes: list[int], distance: float) -> None:
    both = pair(sum(sizes), 2, distance)
    columns = [[one[:, side].tolist() for one in both] for side in (0, 1)]
    expected = [sum(kl(p[run], q[run]) for p, q in columns) / 2 for run in runs(sizes)]
    assert_divergences(FAMILY, both, {"sizes": torch.tensor(sizes)}, expected)


@given(SIZES, SCALES)
def test_entropies_and_probabilities(sizes: list[int], scale: float) -> None:
    logits = outputs(sum(sizes), 2, len(sizes), scale)
    shares = [[softmax(column) for column in logits[run].T.tolist()] for run in runs(sizes)]
    assert_entropies(FAMILY, logits, sizes, [mean([entropy(column) for column in both]) for both in shares], sizes)
    expected = [list(place) for both in shares for place in zip(*both, strict=True)]
    assert_probabilities(FAMILY.probabilities(logits, sizes), expected)
    alone = [softmax(column) for column in logits.T.tolist()]
    assert_probabilities(FAMILY.probabilities(logits), [list(place) for place in zip(*alone, strict=True)])
