"""Many clients of one server, each with a connection of its own; started by ``serve.py``.

python load_program.py PORT QUESTIONS.json CLIENTS SECONDS

It speaks just enough HTTP itself: a library for it takes more of the machine than the server does.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

NEAR = 1e-3  # packs of other sequences round otherwise


def near(one: Any, other: Any) -> bool:
    """Equal but for the rounding of numbers."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, abs_tol=NEAR)
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(near(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(near, one, other))
    return bool(one == other)


class Load:
    """What the clients ask, and what came of it.

    Args:
        port: of the server.
        questions: corpus, input and answer of each.
        until: when the last question is asked, as ``time.monotonic`` tells it.
    """

    def __init__(self, port: int, questions: list[dict[str, Any]], until: float) -> None:
        self.port, self.questions, self.until = port, questions, until
        self.times: list[float] = []
        self.wrong = self.lost = 0

    async def client(self, number: int) -> None:
        """Asks one question after the other, other ones than the other clients."""
        read, write = await asyncio.open_connection("127.0.0.1", self.port)
        at = number * 7919
        while time.monotonic() < self.until:
            question = self.questions[at % len(self.questions)]
            at += 101
            began = time.monotonic()
            status, content = await self._post(read, write, question)
            self.times.append(time.monotonic() - began)
            if status != 200:
                self.lost += 1
            elif not near(json.loads(content)["predictions"], [question["answer"]]):
                self.wrong += 1
        write.close()

    async def _post(
        self, read: asyncio.StreamReader, write: asyncio.StreamWriter, question: dict[str, Any]
    ) -> tuple[int, bytes]:
        body = json.dumps({"corpus": question["corpus"], "inputs": [question["input"]]}).encode()
        lines = ["POST /predict HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
        lines.append(f"Content-Length: {len(body)}")
        write.write("\r\n".join([*lines, "", ""]).encode() + body)
        answer = (await read.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(answer.partition("content-length:")[2].partition("\r\n")[0])
        return int(answer.split(" ", 2)[1]), await read.readexactly(length)


async def main() -> None:
    port, file, clients, seconds = sys.argv[1:]
    began = time.monotonic()
    load = Load(int(port), json.loads(Path(file).read_text(encoding="utf-8")), began + float(seconds))
    await asyncio.gather(*(load.client(number) for number in range(int(clients))))
    took = time.monotonic() - began
    answers = len(load.times) - load.wrong - load.lost
    json.dump(
        {"seconds": took, "answers": answers, "wrong": load.wrong, "lost": load.lost, "times": load.times}, sys.stdout
    )


if __name__ == "__main__":
    asyncio.run(main())
