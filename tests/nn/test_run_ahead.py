"""Passes that run ahead give what they would one after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import torch

from skill_plugin.nn.run_ahead import AHEAD, Pass, run_ahead

CPU = torch.device("cpu")


def groups(sizes: list[int], read: list[int]) -> Iterator[tuple[int, list[Pass]]]:
    for number, size in enumerate(sizes):
        read.append(number)
        yield number, [partial(torch.full, (2,), float(100 * number + one)) for one in range(size)]


def test_outputs_come_in_order() -> None:
    sizes = [1, 3, 0, 40, 1, 70, 2]
    found = list(run_ahead(groups(sizes, []), CPU))
    assert [number for number, _ in found] == list(range(len(sizes)))
    for (number, outputs), size in zip(found, sizes, strict=True):
        assert [one.tolist() for one in outputs] == [[100.0 * number + one] * 2 for one in range(size)]


def test_groups_are_read_ahead_within_bounds_but_for_the_first() -> None:
    read: list[int] = []
    stream = run_ahead(groups([1] * 500, read), CPU)
    next(stream)
    assert read == [0]
    for number in range(1, 100):
        assert next(stream)[0] == number
        assert len(read) <= number + AHEAD + 1
    threads, before = threading.active_count(), torch.get_num_threads()
    stream.close()  # type: ignore[attr-defined]
    assert threading.active_count() < threads and torch.get_num_threads() == before


def test_a_failing_pass_and_a_failing_reader_end_the_stream() -> None:
    def fail() -> torch.Tensor:
        raise ValueError("no outputs")

    def unreadable() -> Iterator[tuple[int, list[Pass]]]:
        yield from groups([1, 2], [])
        raise KeyError("unreadable")

    for given, error in (([(0, [fail])], ValueError), ([(0, [fail, fail])], ValueError), (unreadable(), KeyError)):
        with pytest.raises(error):
            list(run_ahead(given, CPU))
    assert not [one for one in threading.enumerate() if one.name.startswith("ThreadPool")]


def test_many_at_once_leave_torch_its_threads() -> None:
    before = torch.get_num_threads()

    def run(number: int) -> int:
        groups = ((group, [lambda: torch.ones(8, 8) @ torch.ones(8, 8)] * 4) for group in range(3))
        assert [of for of, _ in run_ahead(groups, torch.device("cpu"))] == [0, 1, 2]
        return torch.get_num_threads()

    torch.set_num_threads(3)
    try:
        for _ in range(5):
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(run, range(8)))
                assert set(pool.map(lambda _: torch.get_num_threads(), range(8))) == {3}
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(torch.get_num_threads).result() == torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
