"""A server that only its own machine reaches, and by which names it may be asked there.

A page of another site can have its name lead to 127.0.0.1 (DNS rebinding), and is then of the same origin as this
server to a browser. What tells it apart is the name in the header Host.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

from fastapi import Request

from skill_plugin.serving.refusal import RefusedError

_OWN = "localhost"


def is_own(bound: socket.socket) -> bool:
    """Whether only this machine reaches a socket."""
    return _is_loopback(bound.getsockname()[0].partition("%")[0])


def only_as_own(name: str) -> Callable[[Request], None]:
    """Refuses requests that ask for another machine.

    Args:
        name: under which a person has it listen.
    """

    def check(request: Request) -> None:
        host = request.headers.get("host", "")
        asked = (host.partition("]")[0] if host.startswith("[") else host.partition(":")[0]).lstrip("[").lower()
        if not (asked in ("", _OWN, name.lower()) or asked.endswith(f".{_OWN}") or _is_loopback(asked)):
            message = f"asked as {asked!r}, which is not this machine; a server without a token answers {_OWN} alone"
            raise RefusedError(421, message, {"Connection": "close"})

    return check


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
