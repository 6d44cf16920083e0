"""Where a piece of a text stands, by an offset that may count something else than characters, or by the text itself.

Python, and all of this program, counts code points. JavaScript, Java and C# count UTF-16 units, of which an emoji has
two; programs in Go, Rust or C count the bytes of UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

CHARACTERS = "characters"
_ENCODINGS = {"UTF-16 units": ("utf-16-le", 2), "bytes": ("utf-8", 1)}  # name -> encoding, bytes of a unit
UNITS = (CHARACTERS, *_ENCODINGS)
_SPARED = 20  # of so many pieces that are elsewhere in characters, one may be elsewhere in the unit that is chosen


class Claim(NamedTuple):
    """What a file says: ``piece`` stands in ``text`` at ``offset``."""

    text: str
    offset: int
    piece: str


def find_character(text: str, offset: int, unit: str = CHARACTERS) -> int | None:
    """The character that an offset means, None where it is outside of the text or within a character.

    Args:
        text: without halves of surrogate pairs.
        offset: how many units are before it.
        unit: one of ``UNITS``.

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
    """The unit in which the pieces stand at their offsets: characters, unless another one puts right what they miss.

    Pieces that are nowhere in their text say nothing, and case does not count. Of 20 pieces that are elsewhere in
    characters, one may be so in the other unit too.
    """
    found = [(claim, elsewhere) for claim in claims if (elsewhere := _elsewhere(claim, CHARACTERS)) is not None]
    most = sum(elsewhere for _, elsewhere in found)
    if not most:  # as nearly always: nothing need be encoded
        return CHARACTERS
    missed = {unit: sum(bool(_elsewhere(claim, unit)) for claim, _ in found) for unit in _ENCODINGS}
    best = min(missed, key=lambda unit: missed[unit])
    return best if _SPARED * missed[best] <= most else CHARACTERS


def find_places(piece: str, text: str) -> Iterator[int]:
    """Every place where the piece begins, in order; places may overlap."""
    place = text.find(piece)
    while place >= 0:
        yield place
        place = text.find(piece, place + 1)


def _elsewhere(claim: Claim, unit: str) -> bool | None:
    """Whether a piece is not at its offset but elsewhere; None where it is nowhere."""
    at, piece = find_character(claim.text, claim.offset, unit), claim.piece.casefold()
    if at is not None and claim.text[at : at + len(claim.piece)].casefold() == piece:
        return False
    return True if piece in claim.text.casefold() else None
