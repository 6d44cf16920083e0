"""A connection that does not wait for a request for ever."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


class Connection(H11Protocol):
    """uvicorn's, which is closed where the head of a request is not whole in time.

    uvicorn closes connections on which nothing comes after an answer (``timeout_keep_alive``), but neither those on
    which nothing ever came nor those on which a head has begun: as many as the process may have open files, and it
    takes no more. That a body is late is told by who reads it.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def data_received(self, data: bytes) -> None:
        waiting, self.timeout_keep_alive_task = self.timeout_keep_alive_task, None  # or it would end with any byte
        request = self.cycle
        super().data_received(data)
        if waiting is not None and self.cycle is request:
            self.timeout_keep_alive_task = waiting
        elif waiting is not None:
            waiting.cancel()
