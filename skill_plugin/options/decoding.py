"""How a text-to-text model answers."""

from __future__ import annotations

from typing import Literal, get_args

Decoding = Literal["constrained", "greedy"]
DECODINGS: tuple[Decoding, ...] = get_args(Decoding)
