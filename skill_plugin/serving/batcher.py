"""Answers what is asked meanwhile together: requests of all corpora, in packs.

One thread runs the model. While it does, requests gather; it then takes as many as fill the device, whatever their
corpora. Nothing waits for others to come: a request that is alone is answered at once.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress

import torch
from torch import Tensor

from skill_plugin.api import Model
from skill_plugin.data.asked import Asked
from skill_plugin.serving.limits import Limits
from skill_plugin.serving.meters import Meters
from skill_plugin.serving.question import Question

Outputs = list[list[Tensor]]  # of each piece, for each corpus
PACKS_A_CORE = 2  # as many as are read together: cores do not wait for each other long, nor requests for others

logger = logging.getLogger(__name__)


class _Job:
    """A request whose pieces are read one after the other, or together."""

    def __init__(self, question: Question) -> None:
        self.future: Future[Outputs] = Future()
        self.rest = deque(question.pieces)
        self.outputs: Outputs = []
        self.missing = len(question.pieces)

    def add(self, outputs: list[Tensor]) -> None:
        """Takes the outputs of the next piece; with the last one the request is answered."""
        self.outputs.append(outputs)
        self.missing -= 1
        if not self.missing:
            with suppress(InvalidStateError):  # it was given up meanwhile
                self.future.set_result(self.outputs)

    def fail(self, error: Exception) -> None:
        """Ends the request without an answer."""
        with suppress(InvalidStateError):
            self.future.set_exception(error)


class Batcher:
    """The queue, and the thread that empties it.

    Args:
        model: answers.
        limits: how much is read together.
        meters: told of it.
    """

    def __init__(self, model: Model, limits: Limits, meters: Meters) -> None:
        self._model, self._limits, self._meters = model, limits, meters
        self._waiting: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._stopping = False
        self._seconds_a_token = 0.0
        cores = torch.get_num_threads() if model.device.type == "cpu" else 1
        self._tokens = (limits.tokens or model.max_tokens) * cores * PACKS_A_CORE
        self._thread = threading.Thread(target=self._run, name="batcher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Answers what waits, then ends."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        self._thread.join()

    @property
    def works(self) -> bool:
        """Whether questions are answered."""
        return self._thread.is_alive()

    def ask(self, question: Question) -> Future[Outputs]:
        """The outputs for a question of one piece or more, which come later. To cancel it takes it out of the queue."""
        job = _Job(question)
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()
        return job.future

    def seconds_to_wait(self) -> float:
        """About how long what waits now will take."""
        with self._changed:
            tokens = sum(one.tokens for job in self._waiting for piece in job.rest for one in piece)
        return tokens * self._seconds_a_token

    def _run(self) -> None:
        while taken := self._take():
            began, tokens = time.monotonic(), sum(one.tokens for _, piece in taken for one in piece)
            self._answer(taken)
            seconds = time.monotonic() - began
            self._seconds_a_token = (self._seconds_a_token + seconds / tokens) / (2 if self._seconds_a_token else 1)
            self._meters.together.observe(len(taken))
            self._meters.batch_seconds.observe(seconds)
            self._meters.tokens.inc(tokens)

    def _take(self) -> list[tuple[_Job, Sequence[Asked]]]:
        """The next pieces, at least one; none when all are answered and no more will come.

        A request of several pieces goes to the end of the queue after each, so that others need not wait for all.
        """
        taken: list[tuple[_Job, Sequence[Asked]]] = []
        tokens = 0
        with self._changed:
            while not taken:
                self._changed.wait_for(lambda: self._waiting or self._stopping)
                if not self._waiting:
                    return []
                while self._waiting and len(taken) < self._limits.batch and tokens < self._tokens:
                    job = self._waiting.popleft()
                    if job.future.done():  # given up
                        continue
                    piece = job.rest.popleft()
                    taken.append((job, piece))
                    tokens += sum(one.tokens for one in piece)
                    if job.rest:
                        self._waiting.append(job)
        return taken

    def _answer(self, taken: Sequence[tuple[_Job, Sequence[Asked]]]) -> None:
        try:
            ((_, outputs),) = self._model.together(
                [[one for _, piece in taken for one in piece]], max_tokens=self._limits.tokens
            )
        except Exception as error:
            if len(taken) > 1:  # whose fault it is, shows when each is read alone
                for one in taken:
                    self._answer([one])
                return
            logger.exception("the model failed")
            taken[0][0].fail(error)
            return
        rest = iter(outputs)
        for job, piece in taken:
            job.add([next(rest) for _ in piece])
