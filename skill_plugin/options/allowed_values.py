"""Which values an option may have: declared beside it, looked at before a run, and told in its documentation."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from skill_plugin.errors import InputError

LARGEST = 2**31 - 1  # the limit of every number, since the libraries below take no larger one


class Allowed(Protocol):
    """The values that an option may have; ``str`` of it is what follows "expected" in a message."""

    def __contains__(self, value: Any) -> bool: ...
    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Range:
    """Finite numbers between two bounds, which are allowed themselves by default.

    Attributes:
        low, high: the bounds.
        above_low, below_high: whether the bound itself is excluded.
        note: what the number means; text that follows the range in messages.
    """

    low: float
    high: float = LARGEST
    above_low: bool = False
    below_high: bool = False
    note: str = ""

    def __contains__(self, value: Any) -> bool:
        low = self.low < value if self.above_low else self.low <= value
        high = value < self.high if self.below_high else value <= self.high
        return bool(low and high)  # both are false of NaN

    def __str__(self) -> str:
        if self.high == LARGEST:
            text = f"more than {self.low:g}" if self.above_low else f"{self.low:g} or more"
        else:
            low, high = "above " * self.above_low + f"{self.low:g}", "below " * self.below_high + f"{self.high:g}"
            text = f"{low} to {high}"
        return text + self.note


@dataclass(frozen=True)
class TextForm:
    """Texts of a given form.

    Attributes:
        form: the form in words, for messages.
        holds: tells whether a text has the form.
    """

    form: str
    holds: Callable[[Any], bool]

    def __contains__(self, value: Any) -> bool:
        return self.holds(value)

    def __str__(self) -> str:
        return self.form


@dataclass(frozen=True)
class Pair:
    """Two numbers of a range, as fairseq takes them: a tuple, or a text such as ``(0.9, 0.98)``.

    Attributes:
        form: in words, for messages.
        numbers: what each may be.
    """

    form: str
    numbers: Range

    def read(self, option: str, value: Any) -> tuple[float, float]:
        """The two numbers.

        Args:
            option: the option as on the command line, for the message.
            value: what it was given.

        Raises:
            InputError: it is none.
        """
        found = self._numbers(value)
        if found is None:
            raise InputError(f"{option} {value}: expected {self}")
        return found

    def _numbers(self, value: Any) -> tuple[float, float] | None:
        try:
            first, second = map(float, ast.literal_eval(value) if isinstance(value, str) else value)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
        return (first, second) if first in self.numbers and second in self.numbers else None

    def __contains__(self, value: Any) -> bool:
        return self._numbers(value) is not None

    def __str__(self) -> str:
        return self.form


COUNT = Range(0)
SIZE = Range(1)
WEIGHT = Range(0)
POSITIVE = Range(0, above_low=True)
DROPOUT = Range(0, 1, below_high=True)
SHARE = Range(0, 1)


def check_value(option: str, value: Any, allowed: Allowed) -> None:
    """Checks that the value of an option, or each of several values, is allowed. None (not given) always is.

    Args:
        option: the option as on the command line, for the message.

    Raises:
        InputError: a value is not allowed.
    """
    several = isinstance(value, Iterable) and not isinstance(value, str) and isinstance(allowed, Range)
    values = list(value) if several else [value]
    if not values:
        raise InputError(f"{option}: expected one number or more, each {allowed}")
    for one in values:
        if one is None or one in allowed:
            continue
        beyond = isinstance(allowed, Range) and not isinstance(one, str) and one > LARGEST == allowed.high
        raise InputError(f"{option} {one}: expected {f'at most {LARGEST}' if beyond else allowed}")
