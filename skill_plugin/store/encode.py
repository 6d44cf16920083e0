"""Rows of texts -> ids, in this process or in several; the result does not depend on their number."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from skill_plugin.text.text_encoder import TextEncoder

Ids = npt.NDArray[np.int32]
CHUNK = 512  # texts that travel to a worker together
_worker_encoder: TextEncoder | None = None


class EncodingPool:
    """Encodes texts with some processes; a context manager.

    Args:
        text_encoder: the tokenizer.
        workers: processes; 1 = this one alone.
    """

    def __init__(self, text_encoder: TextEncoder, workers: int = 1) -> None:
        self._text_encoder = text_encoder
        self._workers = workers
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> EncodingPool:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def encode(self, texts: Sequence[str]) -> Iterator[Ids]:
        """Ids of each text in order [T], int32, without special tokens."""
        chunks = (texts[start : start + CHUNK] for start in range(0, len(texts), CHUNK))
        if self._workers == 1:
            for chunk in chunks:
                yield from (encoding.ids for encoding in self._text_encoder.encode_batch(chunk))
            return
        running: deque[Future[tuple[Ids, list[int]]]] = deque()
        for chunk in chunks:
            running.append(self._start().submit(_encode_chunk, list(chunk)))
            if len(running) >= 4 * self._workers:  # enough for all to be busy, few enough to hold in memory
                yield from _split(*running.popleft().result())
        while running:
            yield from _split(*running.popleft().result())

    def _start(self) -> ProcessPoolExecutor:
        if self._executor is None:
            # Workers are spawned, not forked: the tokenizer's library and torch may have threads already.
            self._executor = ProcessPoolExecutor(
                self._workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start_worker,
                initargs=(self._text_encoder.to_state(),),
            )
        return self._executor


def _start_worker(state: Mapping[str, Any]) -> None:
    global _worker_encoder
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _worker_encoder = TextEncoder.from_state(state)


def _encode_chunk(texts: list[str]) -> tuple[Ids, list[int]]:
    """All ids end to end and the number of each text's: two objects travel faster than hundreds."""
    assert _worker_encoder is not None
    ids = [encoding.ids for encoding in _worker_encoder.encode_batch(texts)]
    return np.concatenate(ids), [len(row) for row in ids]


def _split(ids: Ids, lengths: list[int]) -> list[Ids]:
    return np.split(ids, np.cumsum(lengths)[:-1])
