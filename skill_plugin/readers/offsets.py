"""Finds where a piece of a text is, by its offset or by the piece itself. Offsets may count characters or other units.

Python, and all of this program, counts code points. JavaScript, Java and C# count UTF-16 units, and an emoji has two;
programs in Go, Rust or C count the bytes of UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

CHARACTERS = "characters"
_ENCODINGS = {"UTF-16 units": ("utf-16-le", 2), "bytes": ("utf-8", 1)}  # name -> encoding, bytes of a unit
UNITS = (CHARACTERS, *_ENCODINGS)
_SPARED = 20  # of 20 pieces that are not at their offsets in characters, one may be misplaced in the chosen unit too


class Claim(NamedTuple):
    """What a file says: ``piece`` stands in ``text`` at ``offset``."""

    text: str
    offset: int
    piece: str


def find_character(text: str, offset: int, unit: str) -> int | None:
    """Finds the character at an offset; None if the offset is outside of the text, or inside a character.

    Args:
        text: a text without halves of surrogate pairs.
        offset: the number of units before the character.
        unit: what the offset counts, one of ``UNITS``.

    >>> find_character("😀 é b", 3, "UTF-16 units"), find_character("😀 é b", 8, "bytes")
    (2, 4)
    >>> find_character("😀", 1, "bytes") is None
    True
    """
    if offset < 0:
        return None
    if unit == CHARACTERS or text.isascii():
        return offset if offset <= len(text) else None
    encoding, size = _ENCODINGS[unit]
    encoded = text.encode(encoding)
    if offset * size > len(encoded):
        return None
    try:
        return len(encoded[: offset * size].decode(encoding))
    except UnicodeDecodeError:
        return None


def guess_unit(claims: Iterable[Claim]) -> str:
    """Guesses what offsets count: characters, unless pieces that are not at their offsets are there in another unit.

    Pieces that are nowhere in their text are ignored, and so is case. Of 20 pieces that are misplaced in characters,
    one may be misplaced in the other unit too.
    """
    found = [(claim, elsewhere) for claim in claims if (elsewhere := _elsewhere(claim, CHARACTERS)) is not None]
    most = sum(elsewhere for _, elsewhere in found)
    if not most:  # nearly always the case: nothing has to be encoded
        return CHARACTERS
    missed = {unit: sum(bool(_elsewhere(claim, unit)) for claim, _ in found) for unit in _ENCODINGS}
    best = min(missed, key=lambda unit: missed[unit])
    return best if _SPARED * missed[best] <= most else CHARACTERS


def find_places(piece: str, text: str) -> Iterator[int]:
    """Finds all places where a piece begins, in order; occurrences may overlap."""
    place = text.find(piece)
    while place >= 0:
        yield place
        place = text.find(piece, place + 1)


def _elsewhere(claim: Claim, unit: str) -> bool | None:
    """Whether a piece is elsewhere than at its offset; None if it is nowhere in the text."""
    at, piece = find_character(claim.text, claim.offset, unit), claim.piece.casefold()
    if at is not None and claim.text[at : at + len(claim.piece)].casefold() == piece:
        return False
    return True if piece in claim.text.casefold() else None
