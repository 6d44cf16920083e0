"""Where an epoch begins is handed on: from one epoch's iterator to the next, and through a checkpoint."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from typing import Any

import pytest

from tests.tasks.conftest import Run
from tests.tasks.test_super_batches import FEW, read, shown

MakeRun = Callable[..., Run]
OPTIONS = ({}, {"corpora_per_batch": 2}, {"corpus_sampling": "uncertainty"})


def iterator(run: Run, epoch: int, **more: Any) -> Any:
    """Batches that ``max_tokens`` cuts, so that each pass has another number of them."""
    return run.batches(batch_size=6, max_tokens=100, epoch=epoch, **more)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("stop", [0, 3])
def test_a_run_goes_on_with_its_plans(options: dict[str, Any], stop: int, make_run: MakeRun) -> None:
    """In one process, from the state of each epoch's start or middle, and from a state of before, which told less."""
    run = make_run(FEW, **options)
    for epoch in (1, 2, 3):
        expected = [shown(one) for one in read(iterator(make_run(FEW, **options), epoch))]
        going_on = iterator(run, epoch)
        batches = going_on.next_epoch_itr(shuffle=False)
        begun = [shown(next(batches)) for _ in range(stop)]
        state = json.loads(json.dumps(going_on.state_dict()))
        assert state["start"]["epoch"] == state["epoch"] == epoch
        assert begun + [shown(one) for one in batches] == expected
        del batches
        for told in (state, {key: value for key, value in state.items() if key != "start"}):
            resumed = iterator(make_run(FEW, **options), told["epoch"])
            resumed.load_state_dict(told)
            assert [shown(one) for one in read(resumed)] == expected[stop:]
            assert resumed.state_dict() == going_on.state_dict()
        assert going_on.state_dict()["start"]["epoch"] == epoch + 1


def test_an_epoch_begins_where_its_state_says(make_run: MakeRun) -> None:
    """Otherwise all earlier epochs are gone through."""
    first = iterator(make_run(FEW), 4)
    first.next_epoch_itr(shuffle=False)
    state = first.state_dict()
    at_the_beginning = {**state, "start": {**state["start"], "examples": dict.fromkeys(FEW, 0)}}
    resumed = iterator(make_run(FEW), 4)
    resumed.load_state_dict(at_the_beginning)
    assert [shown(one) for one in read(resumed)] != [shown(one) for one in read(iterator(make_run(FEW), 4))]


def test_ranks_read_parts_of_one_plan(make_run: MakeRun) -> None:
    run = make_run(FEW)
    whole = [shown(one) for one in read(iterator(run, 2))]
    for ranks in (2, 3):
        parts = [[shown(one) for one in read(iterator(run, 2, num_shards=ranks, shard_id=i))] for i in range(ranks)]
        assert len({len(part) for part in parts}) == 1
        assert [one for dealt in zip(*parts, strict=True) for one in dealt][: len(whole)] == whole


def test_processes_read_on_in_later_epochs(make_run: MakeRun) -> None:
    """The same process, what this process reads by itself: each epoch's plan, and what it hides of texts."""
    there, here = make_run(["mlm", *FEW]), make_run(["mlm", *FEW])
    processes = set()
    for epoch in (1, 2, 3):
        batches = iterator(there, epoch, num_workers=1).next_epoch_itr(shuffle=False)
        found = [shown(next(batches))]
        processes.update(child.pid for child in multiprocessing.active_children())
        found += [shown(one) for one in batches]
        assert found == [shown(one) for one in read(iterator(here, epoch))]
    assert len(processes) == 1
