"""A connection without a whole request is closed; one whose body is late is not, since that is told in an answer."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from skill_plugin.serving.connection import Connection

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"


async def echo(scope: Any, receive: Any, send: Any) -> None:
    body = b""
    while len(body) < 4:
        body += (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
    await send({"type": "http.response.body", "body": body})


def talk(*parts: bytes, patience: float, between: float) -> bytes:
    """What a server says on a connection until it closes it, where these parts come with some time in between."""

    async def run() -> bytes:
        config = uvicorn.Config(echo, http=Connection, lifespan="off")
        config.timeout_keep_alive = patience  # type: ignore[assignment]
        config.load()
        loop, state = asyncio.get_running_loop(), ServerState()
        made = await loop.create_server(lambda: Connection(config, state, {}), "127.0.0.1", 0)
        async with made:
            read, write = await asyncio.open_connection(*made.sockets[0].getsockname())
            for number, part in enumerate(parts):
                await asyncio.sleep(between if number else 0)
                write.write(part)
            said = await asyncio.wait_for(read.read(), 30)
            write.close()
            return said

    return asyncio.run(run())


def test_nothing_comes_or_half_a_head() -> None:
    assert talk(patience=0.1, between=0) == b""
    assert talk(b"POST / HT", patience=0.1, between=0) == b""
    assert talk(b"POST /", b" HTTP/1.1\r\n", b"Host: localhost\r\n", patience=0.3, between=0.2) == b""


def test_a_late_body_and_a_second_request_are_answered() -> None:
    assert talk(HEAD + b"\r\n", b"a", b"b", b"cd", patience=0.2, between=0.15).endswith(b"abcd")
    said = talk(HEAD, b"\r\nabcd" + HEAD, b"\r\nefgh", patience=2, between=0.1)
    assert said.count(b"200 OK") == 2 and said.endswith(b"efgh")
