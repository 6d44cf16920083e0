"""Which pieces a tokenizer needs besides those that occur in its texts.

Characters stay, so that every text can still be spelled. A byte-pair encoding also needs what its pieces are merged
from.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from typing import Protocol

Pair = tuple[str, str]


class Rank(Protocol):
    """Says how early two neighbours are merged: the smallest number first; None where they are not."""

    def __call__(self, left: str, right: str) -> float | None: ...


def needed_for_spelling(pieces: Collection[str], prefix: str = "") -> set[str]:
    """The pieces without which some text could no longer be spelled.

    Args:
        pieces: all pieces.
        prefix: what is written before a piece inside of a word, ``##`` in WordPiece.

    Returns:
        Single characters, at the beginning and inside of a word, and the pieces of which a character is no such piece:
        nothing else spells that character.
    """
    return {piece for piece in pieces if _spells_alone(piece, pieces, prefix)}


def _spells_alone(piece: str, pieces: Container[str], prefix: str) -> bool:
    inside = bool(prefix) and piece.startswith(prefix) and len(piece) > len(prefix)
    characters = piece[len(prefix) :] if inside else piece
    spelled = [f"{prefix}{c}" if inside or i else c for i, c in enumerate(characters)]
    return len(characters) <= 1 or any(one not in pieces for one in spelled)


def find_merges(pieces: Iterable[str], rank: Rank) -> set[Pair]:
    """The merges of a byte-pair encoding that lead to pieces.

    What becomes one piece in a text is merged there as it is alone: no merge goes across its ends, and of its own
    merges the one that comes first in the text comes first alone. Without the merges that are never made, the same
    ones are made, since each is the first of fewer.
    """
    made: set[Pair] = set()
    for piece in pieces:
        made.update(_merges_of(list(piece), rank))
    return made


def _merges_of(symbols: list[str], rank: Rank) -> list[Pair]:
    made = []
    while (first := _first_pair(symbols, rank)) is not None:
        left, right = symbols[first : first + 2]
        symbols[first : first + 2] = [left + right]
        made.append((left, right))
    return made


def _first_pair(symbols: Sequence[str], rank: Rank) -> int | None:
    """The place of the pair that is merged next: of those of the smallest number the leftmost."""
    ranks = ((rank(*symbols[i : i + 2]), i) for i in range(len(symbols) - 1))
    return min(((number, i) for number, i in ranks if number is not None), default=(0.0, None))[1]
