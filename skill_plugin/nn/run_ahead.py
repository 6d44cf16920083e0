"""Forward passes that run ahead of whoever needs their outputs: several at once on a CPU, one after the other on a GPU.

On a CPU a pass of one thread over a small pack keeps its numbers in the core's cache, and no thread waits for others
after each operation: two such passes at once take three quarters of the time of two that use both cores each.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

Pass = Callable[[], Tensor]
T = TypeVar("T")

AHEAD = 64  # passes that wait for a thread or for whoever takes their outputs
_AT_ONCE = 8  # Python's part of a pass, a tenth of it, runs in one thread at a time


def run_ahead(groups: Iterable[tuple[T, Sequence[Pass]]], device: torch.device) -> Iterator[tuple[T, list[Tensor]]]:
    """Runs passes, and gives the outputs of each group in order.

    Groups are read while passes run, but for the first one: what came of it is given before the second one is read.

    Args:
        groups: anything, and the passes whose outputs are wanted with it.
        device: where the passes run.

    Yields:
        what stood beside the passes of each group, and their outputs on the CPU.
    """
    waiting: deque[tuple[T, list[Pass]]] = deque()
    with _Threads(device) as threads:
        ahead, limit = 0, 0
        for of, passes in groups:
            alone = limit == 0 and len(passes) == 1  # perhaps there is no other pass
            waiting.append((of, _later(passes) if alone else threads.start(passes)))
            ahead += len(passes)
            while waiting and ahead - len(waiting[0][1]) >= limit:
                of, results = waiting.popleft()
                ahead -= len(results)
                yield of, [result() for result in results]
            limit = AHEAD
        for of, results in waiting:
            yield of, [result() for result in results]


class _Cores:
    """How many threads torch's operations use, while several threads of the process run passes at once.

    torch keeps one number for all threads that begin later, and what the pools of one set for themselves is then what
    others find: whoever comes first while none runs remembers it, and whoever leaves sets it again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside, self._all = 0, 1

    def enter(self) -> int:
        """All of them."""
        with self._lock:
            found = torch.get_num_threads()
            if not self._inside:
                self._all = found
            self._inside += 1
            return self._all

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            torch.set_num_threads(self._all)


_cores = _Cores()


class _Threads:
    """Threads for passes, as a context."""

    def __init__(self, device: torch.device) -> None:
        self._on_cpu = device.type == "cpu"
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> _Threads:
        self._all = _cores.enter()
        self._at_once = min(_AT_ONCE, self._all) if self._on_cpu else 1
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        _cores.leave()

    def start(self, passes: Sequence[Pass]) -> list[Pass]:
        """Has passes run soon; the functions that are returned wait for their outputs."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._at_once, initializer=self._take_share)
        return [partial(_finish, self._pool.submit(_begin, one).result) for one in passes]

    def _take_share(self) -> None:
        torch.get_num_threads()  # where a thread has not asked before, its first operation undoes what it set
        torch.set_num_threads(self._all // self._at_once)


def _later(passes: Sequence[Pass]) -> list[Pass]:
    """The same passes, which run when they are asked for, on all cores."""
    return [partial(_finish, partial(_begin, one)) for one in passes]


def _begin(one: Pass) -> Pass:
    """Runs a pass; what is returned waits for its outputs to be on the CPU, but not for passes started since."""
    outputs = one()
    if not outputs.is_cuda:
        return lambda: outputs
    copied, done = outputs.to("cpu", non_blocking=True), torch.cuda.Event()
    done.record(torch.cuda.current_stream(outputs.device))

    def wait() -> Tensor:
        done.synchronize()
        return copied

    return wait


def _finish(begun: Callable[[], Pass]) -> Tensor:
    return begun()()
