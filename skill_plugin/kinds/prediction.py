"""What every answer is: it says itself as JSON and as one line of text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Prediction(ABC):
    """One answer."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @abstractmethod
    def to_line(self) -> str:
        """Without line ends or further tabs than those between the parts."""


def put_on_one_line(text: str) -> str:
    """With one space for each run of spaces, tabs and line ends."""
    return " ".join(text.split())


def show_shares(shares: dict[str, float]) -> str:
    """Probabilities by name, as ``yes=0.7500 no=0.2500``."""
    return " ".join(f"{put_on_one_line(label)}={share:.4f}" for label, share in shares.items())
