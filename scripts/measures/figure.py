"""One number that a measure gives, and what it should reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reach:
    """A bound that a number should keep.

    Attributes:
        bound: itself included.
        at_least: whether the number should be that high, rather than that low.
    """

    bound: float
    at_least: bool

    def holds(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:,g}"


def at_most(bound: float) -> Reach:
    return Reach(bound, at_least=False)


def at_least(bound: float) -> Reach:
    return Reach(bound, at_least=True)


@dataclass(frozen=True)
class Figure:
    """One number.

    Attributes:
        value: a median, where it was measured several times.
        what: what the number is, of what, and over what where it is a ratio, as the table says it.
        reach: what it should reach, if that is asked.
        name: behind the name of its case, where a case gives several numbers.
        unit: of ``value``; a ratio has none.
        details: what it is made of, by names that end with their units.
    """

    value: float
    what: str
    reach: Reach | None = None
    name: str = ""
    unit: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        written: dict[str, Any] = {"value": self.value, "unit": self.unit, "what": self.what}
        if self.reach is not None:
            written["reach"] = {"at_least" if self.reach.at_least else "at_most": self.reach.bound}
            written["reached"] = self.reach.holds(self.value)
        return written | ({"details": dict(self.details)} if self.details else {})

    def __str__(self) -> str:
        reach = "" if self.reach is None else f"{self.reach}: {'yes' if self.reach.holds(self.value) else 'NO'}"
        numbers = {name: value for name, value in self.details.items() if not isinstance(value, Mapping)}
        details = ", ".join(f"{name} {short(value)}" for name, value in numbers.items())
        return f"{short(self.value):>9} {self.unit:7} {reach:12} {details}".rstrip()


def short(value: object) -> str:
    """A number with as many digits as a person reads: four, or all before the point."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
