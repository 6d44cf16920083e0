"""Encodes examples as ids, in this process or in several. The result does not depend on their number."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path

from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example_rows import ExampleBlock, ExampleRows
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.encoded_block import EncodedBlock
from skill_plugin.text.text_encoder import TextEncoder

_worker_encoder: TextEncoder | None = None


class EncodingPool:
    """Encodes examples in several processes; a context manager.

    Args:
        text_encoder: the tokenizer.
        folder: the folder into which ``text_encoder.save`` wrote it, from which workers load it. (What is passed to a
            process at its start must be small, otherwise the start blocks until it is read.)
        workers: the number of processes; 1 means this process alone.
    """

    def __init__(self, text_encoder: TextEncoder, folder: Path, workers: int = 1) -> None:
        self._text_encoder = text_encoder
        self._folder = folder
        self._workers = workers
        self._executor: ProcessPoolExecutor | None = None
        self._not_ours: list[BaseProcess] = []

    def __enter__(self) -> EncodingPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if self._executor is not None:
            if kind is not None:
                self._end_workers(self._executor)
            self._executor.shutdown(cancel_futures=True)

    def _end_workers(self, executor: ProcessPoolExecutor) -> None:
        """Ends the workers after a failure: one may still be starting, and read files that are about to be removed."""
        for process in multiprocessing.active_children():
            if process not in self._not_ours:
                process.terminate()
        # A thread that is sending a chunk would wait for a reader for ever, and the shutdown would wait for that thread
        # (CPython's issue 94777; Python 3.12 fixes it in the same way).
        getattr(executor, "_call_queue")._reader.close()  # noqa: B009  it is private

    def encode(self, corpus: Corpus, examples: ExampleRows) -> Iterator[tuple[ExampleBlock, EncodedBlock]]:
        """Encodes the examples of a corpus, some at a time, in order."""
        storage = kind_named(corpus.kind).storage
        if self._workers == 1:
            for block in examples.blocks():
                yield block, storage.encode_block(corpus, block, self._text_encoder)
            return
        running: deque[tuple[ExampleBlock, Future[EncodedBlock]]] = deque()
        for block in examples.blocks():
            with _without_interrupts():  # submitting may start a process, which inherits the mask
                running.append((block, self._start().submit(_encode_block, corpus, block)))
            if len(running) >= 3 * self._workers:  # enough to keep all workers busy, and few enough for the memory
                begun, future = running.popleft()
                yield begun, future.result()
        for begun, future in running:
            yield begun, future.result()

    def _start(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._not_ours = multiprocessing.active_children()
            # Workers are spawned, not forked: the tokenizer's library and torch may have threads already.
            self._executor = ProcessPoolExecutor(
                self._workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start_worker,
                initargs=(self._folder,),
            )
        return self._executor


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Delays Ctrl-C until the end of the block; a process that starts meanwhile never receives one.

    Only the parent handles Ctrl-C. Processes inherit the mask that blocks the signal. In this process another thread
    may still receive it, and its handler then runs here: so the handler only remembers the signal.
    """
    resource_tracker.ensure_running()  # start it now, since its start would remove the mask
    held: list[int] = []
    here = threading.current_thread() is threading.main_thread()  # handlers run only in the main thread
    handler = signal.signal(signal.SIGINT, lambda number, frame: held.append(number)) if here else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if here:
            signal.signal(signal.SIGINT, handler)
        if held:
            signal.raise_signal(signal.SIGINT)


def _start_worker(folder: Path) -> None:
    global _worker_encoder
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    _worker_encoder = TextEncoder.load(folder)


def _end_with_parent() -> None:
    """Ends the worker with its parent: if the parent were killed, the worker would wait for tasks for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _encode_block(corpus: Corpus, examples: ExampleBlock) -> EncodedBlock:
    assert _worker_encoder is not None
    return kind_named(corpus.kind).storage.encode_block(corpus, examples, _worker_encoder)
