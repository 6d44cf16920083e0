"""Plans against their definition, followed example by example from the first epoch on (DESIGN, invariant 5)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.sampling.epoch_plan import EpochPlan, EpochStart
from skill_plugin.sampling.passes import Passes
from skill_plugin.sampling.plan import Planner
from skill_plugin.sampling.sampler import Sampler
from skill_plugin.sampling.stream import Stream

Segments = list[tuple[int, list[int]]]
SAMPLERS = [
    Sampler("proportional"),
    Sampler("uniform", cap=5, weights=(1.0, 2.0, 3.0, 0.5)),
    Sampler("annealed", (1.0, 0.2), max_update=40),
    Sampler("temperature", (0.4, 0.4), auxiliary=(True, False, False, False), auxiliary_share=0.1),
    None,
]


@st.composite
def planners(draw: st.DrawFn) -> Planner:
    """Of four corpora, some perhaps empty, with all that a plan depends on."""
    sizes = draw(st.lists(st.integers(0, 25), min_size=4, max_size=4).filter(any))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    several = draw(st.booleans())
    sampler = draw(st.sampled_from(SAMPLERS)) if all(sizes) else draw(st.sampled_from([SAMPLERS[0], None]))
    return Planner(
        lengths=[random.integers(3, 20, size) for size in sizes],
        sampler=sampler,
        batch_size=draw(st.integers(1, 6)),
        max_tokens=draw(st.one_of(st.none(), st.integers(1, 150))),
        seed=draw(st.integers(1, 3)),
        sequences=[random.integers(0, 4, size) for size in sizes] if several else None,
        corpora_per_batch=draw(st.integers(1, 3)) if sampler else 1,  # others are refused (``check_sampling``)
        update_batches=tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))),
        frozen_out=draw(st.dictionaries(st.integers(0, 3), st.integers(2, 4), max_size=2)),
    )


def cut(planner: Planner, corpus: int, order: list[int]) -> list[list[int]]:
    """Each batch takes the next examples as long as they fit, and at least one."""
    lengths, share = planner.lengths[corpus], planner.max_tokens
    share = None if share is None else max(1, share // planner.corpora_per_batch)
    sequences = np.ones_like(lengths) if planner.sequences is None else planner.sequences[corpus]
    batches: list[list[int]] = []
    for example in order:
        one = [*(batches[-1] if batches else []), example]
        fits = sequences[one].sum() <= planner.batch_size and (share is None or lengths[one].sum() <= share)
        if batches and fits:
            batches[-1].append(example)
        else:
            batches.append([example])
    return batches


class Direct:
    """The definition: one epoch after the other, one stream of batches a corpus, which never ends."""

    def __init__(self, planner: Planner) -> None:
        self.planner, self.done, self.epoch = planner, 0, 0
        self.used, self.streams = [0] * 4, [self._stream(corpus) for corpus in range(4)]
        self.read: list[list[list[int]]] = [[] for _ in range(4)]

    def _stream(self, corpus: int) -> Any:
        size = len(self.planner.lengths[corpus])
        number = 0
        while True:
            order = np.random.default_rng([self.planner.seed, 2, corpus, number]).permutation(size)
            yield from cut(self.planner, corpus, order.tolist())
            number += 1

    def _batch(self, corpus: int, number: int) -> list[int]:
        while len(self.read[corpus]) <= number:
            self.read[corpus].append(next(self.streams[corpus]))
        return self.read[corpus][number]

    def next_epoch(self) -> list[Segments]:
        self.epoch += 1
        planner, epoch = self.planner, self.epoch
        sizes = [len(n) if planner.frozen_out.get(i, 99) > epoch else 0 for i, n in enumerate(planner.lengths)]
        batches = [len(cut(planner, i, list(range(size)))) for i, size in enumerate(sizes)]
        length = sum(batches)
        if planner.sampler is not None and planner.sampler.auxiliary is not None and batches[0] < length and batches[0]:
            length = round((length - batches[0]) / 0.9)  # the first is auxiliary, in 1 of 10 draws
        frequency = [*planner.update_batches, *planner.update_batches[-1:] * epoch][epoch - 1]
        updates = -(-length // (planner.corpora_per_batch * frequency))
        draws = updates * frequency * planner.corpora_per_batch
        if planner.sampler is None:
            found = [i for i, size in enumerate(sizes) if size]
            order, lasting, together = found * updates * frequency, length * len(found), len(found)
        else:
            order, lasting, together = [], length, planner.corpora_per_batch
            if draws:
                edges = np.cumsum(planner.sampler.probabilities(sizes, self.done, updates))
                uniform = np.random.default_rng([planner.seed, 1, epoch]).random(draws)
                order = [int((edges / edges[-1] <= one).sum()) for one in uniform]
        seen, segments = list(self.used), []
        for corpus in order:
            segments.append((corpus, self._batch(corpus, seen[corpus])))
            seen[corpus] += 1
        for corpus in order[:lasting]:  # what only makes the last update whole is drawn again
            self.used[corpus] += 1
        self.done += updates
        return [segments[i : i + together] for i in range(0, len(segments), together or 1)]


def shown(plan: EpochPlan) -> list[Segments]:
    return [[(segment.corpus, segment.examples.tolist()) for segment in batch.segments] for batch in plan]


@settings(deadline=None, max_examples=300)
@given(planners())
def test_plans_are_what_they_are_defined_to_be(planner: Planner) -> None:
    """From the first epoch on, from where the one before ended, and from an earlier one's start."""
    direct, known, earlier = Direct(planner), None, None
    for epoch in range(1, 6):
        expected = direct.next_epoch()
        plan = planner.plan(epoch, known)
        assert shown(plan) == shown(planner.plan(epoch)) == shown(planner.plan(epoch, earlier)) == expected
        assert len(plan) == len(expected)
        assert plan.start == planner.start(epoch) == planner.start(epoch, earlier)
        outline = planner.outline(epoch)
        assert (outline.done, outline.done + outline.updates) == (plan.start.updates, plan.following.updates)
        assert planner.outline(epoch, earlier).done == planner.outline(epoch, known).done == outline.done
        if epoch == 2:
            earlier = plan.start
        known = EpochStart(**{**json.loads(json.dumps(asdict(plan.following))), "examples": plan.following.examples})


@settings(deadline=None)
@given(planners(), st.integers(1, 4), st.integers(0, 30), st.integers(1, 3))
def test_a_part_of_a_plan_is_that_part_of_its_batches(planner: Planner, epoch: int, first: int, step: int) -> None:
    plan = planner.plan(epoch)
    assert shown(plan[first::step]) == shown(plan)[first::step]
    assert shown(plan[first % step :: step][first:]) == shown(plan)[first % step :: step][first:]


def test_what_a_plan_holds_is_arrays() -> None:
    """An example takes 4 bytes and a segment 16, and no pass is drawn before it is asked for."""
    planner = Planner([np.full(size, 5) for size in (3000, 500)], Sampler("proportional"), 2, None, 1)
    plan, drawn = planner.plan(1), np.zeros(2, int)
    for number, batch in enumerate(plan):
        (corpus,) = {segment.corpus for segment in batch.segments}
        drawn[corpus] += len(batch.segments[0].examples)
        held = sum(array.nbytes for array in arrays_in(plan))
        assert number or held < 4 * max(map(len, planner.lengths)) + 8 * 1500 + 2 * len(plan) + 200
    passes = -(-drawn // (3000, 500)) @ (3000, 500)
    assert held < 4 * passes + 16 * len(plan) + 200


def arrays_in(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays that a plan holds, each of which is whole or a view that is counted as such."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, EpochPlan | Stream | list | tuple):
        for part in vars(value).values() if isinstance(value, EpochPlan | Stream) else value:
            yield from arrays_in(part)
    else:  # nothing else grows with the data
        assert isinstance(value, int | range | EpochStart | Passes) or value.__class__.__name__ == "lock"
