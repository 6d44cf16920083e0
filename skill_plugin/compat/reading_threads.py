"""A run that ends while a thread still makes batches ends with its own exit status.

Fault: fairseq 0.12.3 (``data/iterators.py: BackgroundConsumer``) reads ahead in a daemon thread that nobody ends. When
the program does, Python ends such a thread wherever it is; inside of torch that aborts the process ("terminate called
without an active exception", status 134), although the run was good.

No longer needed: when a program that reads one item of a ``BufferedIterator`` whose source works in torch exits with 0
without ``install()``.
"""

from __future__ import annotations

import atexit
import contextlib
import queue
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fairseq.data.iterators import BackgroundConsumer

from skill_plugin.compat.patching import wrap

PATIENCE = 10.0  # seconds that a batch may take which is being made when the program ends
_SOON = 0.02

_ending = threading.Event()
_readers: weakref.WeakSet[Any] = weakref.WeakSet()


class _UntilTheEnd:
    """The items of a source, until the program ends.

    An object rather than a generator: fairseq stops after the last item without asking for another, and then nothing
    but its frame may hold what makes them. So workers of a ``DataLoader`` end at once, in the thread that reads; those
    of training live as long as the run (``tasks.plan_iterator``). Kept without being held they would be left to
    Python's collector: an update waits five seconds for them, or a process that was forked meanwhile frees them, and
    pinned memory with them, and dies.
    """

    def __init__(self, source: Iterable[Any]) -> None:
        self._source = source

    def __iter__(self) -> Iterator[Any]:
        for item in self._source:
            if _ending.is_set():
                return
            yield item


def run(original: Callable[..., None], self: Any) -> None:
    """fairseq's; no further item is made once the program ends."""
    _readers.add(self)
    self._source = _UntilTheEnd(self._source)
    original(self)


def end_readers() -> None:
    """Waits for the threads, which may be making an item, or waiting for room in their queue."""
    _ending.set()
    waited = 0.0
    for reader in list(_readers):
        while reader.is_alive() and waited < PATIENCE:
            with contextlib.suppress(queue.Empty):
                reader._queue.get_nowait()
            reader.join(_SOON)
            waited += _SOON


def install() -> None:
    """Patches ``BackgroundConsumer.run``, and has its threads end before the program does."""
    wrap(BackgroundConsumer, "run", run)
    atexit.unregister(end_readers)
    atexit.register(end_readers)
