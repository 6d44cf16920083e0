"""What an analysis found of the corpora of a data folder, and which it left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

FoundT = TypeVar("FoundT")


@dataclass(frozen=True)
class Collected(Generic[FoundT]):
    """What was found and what was not looked at.

    Attributes:
        found: of the corpora that all models and the folder have in common.
        left_out: why each other corpus was not read.
    """

    found: FoundT
    left_out: dict[str, str]
