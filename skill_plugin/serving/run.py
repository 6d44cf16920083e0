"""A server process: from the socket to the last answer."""

from __future__ import annotations

import signal
import socket
import sys
from types import FrameType

import uvicorn
from fastapi import FastAPI

from skill_plugin.errors import InputError, reason_of
from skill_plugin.serving.connection import Connection

BACKLOG = 2048  # connections that nobody has accepted yet
KEEP_ALIVE = 30  # seconds until a connection is closed on which nothing is asked


def bind(host: str, port: int) -> socket.socket:
    """A socket that has an address and does not listen yet.

    Args:
        host: a name or address of this machine.
        port: 0 for any that is free.

    Raises:
        InputError: it cannot.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
        except OSError:
            found.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "no such name"
        raise InputError(f"cannot listen there: {reason}", f"{host}:{port}") from None
    return found


def address_of(bound: socket.socket) -> str:
    """Where a browser finds it."""
    host, port = bound.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def run(app: FastAPI, bound: socket.socket, seconds: float) -> None:
    """Serves until the process is told to stop (SIGTERM, Ctrl-C), then answers what was asked before.

    Args:
        app: the application.
        bound: its socket.
        seconds: how long answers may take then.
    """
    config = uvicorn.Config(
        app,
        http=Connection,
        loop="asyncio",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(seconds) + 1,
    )
    server = uvicorn.Server(config)

    def stop(number: int, frame: FrameType | None) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        server.run(sockets=[bound])  # takes over both signals, and raises them again behind itself
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if not server.started:
        sys.exit(1)  # uvicorn has said why
