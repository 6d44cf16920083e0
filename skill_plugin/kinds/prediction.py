"""What every predicted answer can do: be written as JSON and as one line of text."""

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
        """One line of text. It has no line ends, and tabs only between its parts."""


def put_on_one_line(text: str) -> str:
    """Replaces each run of spaces, tabs and line ends by one space."""
    return " ".join(text.split())


def show_shares(shares: dict[str, float]) -> str:
    """Writes probabilities by name, as ``yes=0.7500 no=0.2500``."""
    return " ".join(f"{put_on_one_line(label)}={share:.4f}" for label, share in shares.items())
