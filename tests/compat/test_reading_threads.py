"""A program that ends while batches are made ahead ends with its own exit status."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import pytest
import torch
from fairseq.data.iterators import BufferedIterator

PROGRAM = """
import torch
{plugin}
from fairseq.data.iterators import BufferedIterator

torch.set_num_threads(1)


class Source:
    def __len__(self):
        return 1000

    def __iter__(self):
        x = torch.randn(300, 300)
        for _ in range(1000):
            for _ in range(20):
                x = torch.tanh(x @ x.t() / 300)
            yield x


iterator = BufferedIterator({room}, Source())
next(iterator)
{last}
"""


@pytest.mark.parametrize(
    ("room", "last", "status"),  # the thread waits for room, or works on
    [(1, "raise SystemExit(3)", 3), (1000, "", 0)],
)
def test_status_of_a_program_with_a_reading_thread(room: int, last: str, status: int) -> None:
    program = PROGRAM.format(plugin="import skill_plugin.register", room=room, last=last)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, "terminate" in done.stderr) == (status, False), done.stderr


def test_workers_end_with_the_last_batch() -> None:
    """They would be killed when a collection of garbage finds them, each after five seconds."""
    iterator = BufferedIterator(4, torch.utils.data.DataLoader(range(6), num_workers=2))
    assert [int(one) for one in iterator] == list(range(6))
    iterator._consumer.join()
    assert not multiprocessing.active_children()


def test_the_fault_is_still_there() -> None:
    program = PROGRAM.format(plugin="", room=1000, last="")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "terminate called" in done.stderr


def test_what_makes_items_ends_in_the_thread_that_reads_them_before_that_does() -> None:
    program = """
import gc, threading
import skill_plugin.register
from fairseq.data.iterators import BufferedIterator

gc.disable()
ended = []


class Source:
    def __len__(self):
        return 3

    def __iter__(self):
        try:
            yield from range(4)
        finally:
            ended.append(threading.current_thread() is iterator._consumer)


iterator = BufferedIterator(3, Source())  # without room for what tells the end
iterator._create_consumer()
while not ended and iterator._consumer.is_alive():
    pass
print([next(iterator) for _ in range(3)])
print(ended)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.split("\n")[:2] == ["[0, 1, 2]", "[True]"], done.stderr
