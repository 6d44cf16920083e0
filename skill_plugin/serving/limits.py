"""What a server takes upon itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds of one request, and of all that wait.

    Attributes:
        body: bytes of a request.
        inputs: inputs of a request, counted once for each corpus that is asked.
        characters: characters of an input, all its texts together.
        queue: requests that are being received, wait or are answered; further ones are refused.
        seconds: until a request that is not answered is given up.
        batch: pieces of requests that are read together; most requests are one (``question.PIECE``).
        tokens: tokens of a forward pass; None for what suits the device.
    """

    body: int = 1 << 20
    inputs: int = 256
    characters: int = 20_000
    queue: int = 512
    seconds: float = 30.0
    batch: int = 256
    tokens: int | None = None
