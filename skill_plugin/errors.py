"""Faults of the user's input, as one line for a person: ``file:line: what is wrong and what was expected``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from os import PathLike

# C0, C1, line separators, and marks that turn the direction of what follows
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_QUOTED = re.compile(r"""(?<!\w)(['"])(?:\\.|(?!\1)[^\\])*\1""", re.DOTALL)  # as Python quotes a value
_UNBROKEN = re.compile(r"""[^,;:/'"]{201,}""")  # longer than any clause: a value without quotes
_VALUE = 80  # the longest value in a message, in characters
_QUOTED_PATH = 400  # the longest in quotes that may be a file, whose name is at its end
_MESSAGE = 2000  # the longest message
_PATH = 4096  # the longest path that Linux has
_LISTED = 600  # the longest list of names in a message, in characters
_COMPARED = 1000  # how many names are compared to find the nearest one; each takes some 10 microseconds
_LONGEST = 100  # longer names are not compared, since the time grows with the square of the length


class InputError(Exception):
    """The input is at fault, not the program: shown as one line, exit status 1, no traceback."""

    def __init__(self, message: str, file: str | PathLike[str] | None = None, line: int | None = None) -> None:
        self.message = with_short_values(message)
        self.file = None if file is None else str(file)
        self.line = line
        super().__init__(str(self))

    def __str__(self) -> str:
        file = self.file if self.file is None or len(self.file) <= _PATH else _cut(self.file)
        place = "".join(f"{part}:" for part in (file, self.line) if part is not None)
        return f"{place} {self.message}" if place else self.message

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str | None, int | None]]:
        return type(self), (self.message, self.file, self.line)


def with_short_values(message: str) -> str:
    """A message in which no value fills the screen: of long ones stands the beginning, and an ellipsis.

    >>> with_short_values(f"unknown kind {'x' * 10_000!r}; did you mean 'span'?")[60:]
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'; did you mean 'span'?"
    """
    if len(message) <= _VALUE:
        return message
    message = _QUOTED.sub(_shorter_quoted, message)
    message = _UNBROKEN.sub(lambda found: _cut(found[0]), message)
    half = _MESSAGE // 2
    return message if len(message) <= _MESSAGE else f"{message[:half]} … {message[-half:]}"


def _shorter_quoted(found: re.Match[str]) -> str:
    longest = _QUOTED_PATH if "/" in found[0] else _VALUE
    return found[0] if len(found[0]) <= longest else f"{_cut(found[0])}{found[1]}"


def _cut(value: str) -> str:
    return f"{value[: _VALUE - 2]}…"


def reason_of(error: OSError, otherwise: str = "cannot be read") -> str:
    """The operating system's reason in lower case, to end a message with; ``otherwise`` where it gives none."""
    return (error.strerror or otherwise).lower()


def shown(text: str) -> str:
    """A text that is safe to print on a terminal: control characters, line ends among them, become escapes.

    >>> shown("red \\x1b[31m")
    'red \\\\x1b[31m'
    """
    return _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def shown_lines(text: str) -> str:
    """As ``shown``, for a text of several lines: their line ends stay."""
    return "\n".join(map(shown, text.split("\n")))


def nearest(name: str, known: Iterable[str]) -> str:
    """What to append to 'unknown NAME': the nearest known name, else the known ones.

    >>> nearest("acuracy", ["accuracy", "f1"]), nearest("nli-EN", ["nli-zh", "nli-en"])
    ("; did you mean 'accuracy'?", "; did you mean 'nli-en'?")
    """
    return _nearest(str(name), tuple(str(k) for k in known))


@lru_cache(maxsize=32)  # every row may lack the same column
def _nearest(name: str, known: tuple[str, ...]) -> str:
    folded = {one.casefold(): one for one in _comparable(name, known)}  # upper case for lower is the nearest slip
    close = difflib.get_close_matches(name.casefold(), folded, n=1) if len(name) <= _LONGEST else []
    if close:
        return f"; did you mean {folded[close[0]]!r}?"
    return f"; expected one of: {listing(known)}" if known else ""


def listing(names: Sequence[str]) -> str:
    """The names for a message, separated by commas; of too many the first ones, and how many there are.

    >>> listing(["yes", "no"]), listing([f"label{n}" for n in range(1000)])[-25:]
    ('yes, no', 'label67, … (1,000 in all)')
    """
    length = 0
    for shown, name in enumerate(names):
        length += len(name) + 2
        if length > _LISTED + 2:
            few = [*names[:shown], f"{name[:_LISTED]}…"] if shown == 0 else [*names[:shown], "…"]
            return f"{', '.join(few)} ({len(names):,} in all)"
    return ", ".join(names)


def counted(number: int, one: str, several: str = "") -> str:
    """A number of things in words.

    >>> counted(1, "row"), counted(2000, "row"), counted(0, "corpus", "corpora")
    ('1 row', '2,000 rows', '0 corpora')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def _comparable(name: str, known: Sequence[str]) -> Sequence[str]:
    """The names to compare: of very many only those that begin with the same letter, and none that is too long."""
    if len(known) > _COMPARED:
        known = [one for one in known if one[:1].casefold() == name[:1].casefold()][:_COMPARED]
    return [one for one in known if len(one) <= _LONGEST]
