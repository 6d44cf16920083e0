"""Numbers as a person reads them."""

from __future__ import annotations

from skill_plugin.report.comparison.table import show
from skill_plugin.report.score_text import score_text
from skill_plugin.report.spread import Spread

MINUS = "−"


def show_score(spread: Spread, metric: str = "") -> str:
    """Mean and deviation in percent, a cost as it is.

    >>> show_score(Spread((0.5,))), show_score(Spread((0.5, 0.6)))
    ('50.0', '55.0 ± 7.1')
    """
    return signed(show(spread, metric))


def show_change(change: float, metric: str = "") -> str:
    """A change in points, with its sign.

    >>> show_change(-0.123), show_change(0.0)
    ('−12.3', '±0.0')
    """
    shown = score_text(change, metric, "+")
    return "±0.0" if shown[1:] == "0.0" else signed(shown)


def signed(number: str) -> str:
    """A number with the sign of a minus, not a hyphen."""
    return number.replace("-", MINUS)


def show_count(number: float) -> str:
    """A large number in short.

    >>> show_count(471080), show_count(278_043_648), show_count(2345), show_count(12)
    ('471 k', '278.0 M', '2.3 k', '12')
    """
    for scale, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= scale:
            return f"{number / scale:.{0 if unit == 'k' and number >= 1e4 else 1}f} {unit}"
    return f"{number:.0f}"
