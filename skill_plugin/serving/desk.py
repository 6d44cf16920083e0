"""One request from its first byte to its answer: nothing but receiving happens on the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

from skill_plugin.api import Model
from skill_plugin.files.json_file import json_text
from skill_plugin.serving.batcher import Batcher, Outputs
from skill_plugin.serving.limits import Limits
from skill_plugin.serving.meters import Meters
from skill_plugin.serving.question import Question, read_question
from skill_plugin.serving.refusal import RefusedError, busy

THREADS = 4  # that encode texts and write answers
CLOSE = {"Connection": "close"}  # of a request whose body is not read
T = TypeVar("T")

logger = logging.getLogger(__name__)


class Desk:
    """Takes requests and gives them their answers.

    Args:
        model: answers.
        limits: what is refused.

    Attributes:
        inside: how many requests are received, wait or are answered.
    """

    def __init__(self, model: Model, limits: Limits) -> None:
        self.model, self.limits, self.inside = model, limits, 0
        self.meters = Meters(lambda: self.inside)
        self.batcher = Batcher(model, limits, self.meters)
        self._threads = ThreadPoolExecutor(THREADS, "desk")

    async def close(self) -> None:
        """Answers what waits, then ends."""
        await asyncio.to_thread(self.batcher.stop)
        self._threads.shutdown()

    async def answer(self, request: Request) -> bytes:
        """The body of the response.

        Raises:
            RefusedError: there is none.
        """
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise RefusedError(415, "the header Content-Type is to be application/json", CLOSE)
        if self.inside >= self.limits.queue:
            raise busy("too many requests are waiting", self.batcher.seconds_to_wait(), CLOSE)
        self.inside += 1
        received = False
        try:
            async with asyncio.timeout(self.limits.seconds):
                body = await self._receive(request)
                received = True
                question = await self._off_the_loop(lambda: read_question(body, self.model, self.limits))
                outputs = await self._outputs(question) if question.pieces else []
                return await self._off_the_loop(lambda: _written(question, outputs))
        except TimeoutError:
            within = f"within {self.limits.seconds:g} seconds"
            if not received:
                raise RefusedError(408, f"the request did not arrive {within}", CLOSE) from None
            raise busy(f"not answered {within}", self.batcher.seconds_to_wait()) from None
        finally:
            self.inside -= 1

    async def _receive(self, request: Request) -> bytes:
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > self.limits.body:
                    raise RefusedError(413, f"a request may have {self.limits.body:,} bytes", CLOSE)
        except ClientDisconnect:
            raise RefusedError(400, "the request ended early", CLOSE) from None
        return bytes(body)

    async def _outputs(self, question: Question) -> Outputs:
        try:
            outputs = await asyncio.wrap_future(self.batcher.ask(question))
        except Exception as error:
            logger.exception("a request is not answered")
            raise RefusedError(500, f"the model failed ({type(error).__name__}); the server's log says more") from None
        for name in question.corpora:
            self.meters.inputs.labels(name).inc(question.count)
        return outputs

    def _off_the_loop(self, function: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, function)


def _written(question: Question, outputs: Outputs) -> bytes:
    """The answers as ``predict --json`` writes them."""
    by_corpus = {
        name: list(
            chain.from_iterable(
                piece[index].predictions(of_piece[index])
                for piece, of_piece in zip(question.pieces, outputs, strict=True)
            )
        )
        for index, name in enumerate(question.corpora)
    }
    plain = {name: [one.to_json() for one in answers] for name, answers in by_corpus.items()}
    predictions = plain if question.several else plain[question.corpora[0]]
    return json_text({"predictions": predictions}, indent=None).encode("utf-8", "replace")
