"""A time span as a person says it."""

from __future__ import annotations


def show_duration(seconds: float) -> str:
    """The two largest units of a time span, rounded down.

    >>> show_duration(4.2), show_duration(75), show_duration(3 * 3600 + 125), show_duration(90_000)
    ('4 s', '1 min 15 s', '3 h 2 min', '1 d 1 h')
    """
    rest = int(seconds)
    parts = []
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        number, rest = divmod(rest, size)
        parts.append((number, unit))
    first = next((i for i, (number, _) in enumerate(parts) if number), len(parts) - 1)
    shown = [f"{number} {unit}" for number, unit in parts[first : first + 2] if number]
    return " ".join(shown) or "0 s"
