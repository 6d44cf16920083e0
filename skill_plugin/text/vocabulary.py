"""The vocabulary of an encoder, in fairseq's order, and fairseq's ``dict.txt``.

Ids 0 to 3 are the beginning, padding, end and unknown symbols, whatever names the source gives them (in BERT
``[CLS]``, ``[PAD]``, ``[SEP]``, ``[UNK]``). The pieces follow, and ``<mask>`` is last if the encoder has one.
``dict.txt`` holds only the pieces, one line ``piece count`` each; fairseq's tasks add the other symbols themselves.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path

from skill_plugin.errors import InputError

SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
MASK = "<mask>"
SENTINEL = "<extra_id_"  # how the names of T5's symbols for corrupted spans begin
SPACE = "\u2581"  # a space before a piece of SentencePiece, or a piece of its own
OVERWRITE = "#fairseq:overwrite"  # fairseq's flag for a piece that occurs twice: the later one counts


class Vocabulary:
    """Symbols and their ids.

    Attributes:
        symbols: all symbols by id: ``<s>``, ``<pad>``, ``</s>``, ``<unk>``, the pieces, and ``<mask>`` if there is one.
        mask: the id of ``<mask>``, or None.
    """

    bos = 0
    pad = 1
    eos = 2
    unk = 3

    def __init__(self, symbols: Sequence[str]) -> None:
        self.symbols = list(symbols)
        if tuple(self.symbols[:4]) != SPECIALS:
            raise ValueError(f"a vocabulary begins with {SPECIALS}, not with {self.symbols[:4]}")
        if broken := [s for s in self.symbols if "\n" in s]:
            raise ValueError(f"a symbol may not hold a line end: {broken[0]!r}")
        self._ids = {symbol: i for i, symbol in enumerate(self.symbols)}
        self.mask = self._ids.get(MASK)

    @classmethod
    def from_pieces(cls, pieces: Iterable[str], mask: bool = True) -> Vocabulary:
        """Makes a vocabulary of pieces in order; the special symbols are put around them."""
        return cls([*SPECIALS, *pieces, *([MASK] if mask else [])])

    def __len__(self) -> int:
        return len(self.symbols)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.symbols == other.symbols

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._ids

    def index(self, symbol: str) -> int:
        """The id of a symbol; that of ``<unk>`` if the vocabulary lacks it."""
        return self._ids.get(symbol, self.unk)

    def rows_of(self, cut: Vocabulary) -> list[int] | None:
        """The ids here of the symbols of a vocabulary that was cut out of this one.

        None if it was not: where it has symbols that this one lacks, or the same in another order.
        """
        special = len(SPECIALS)
        rows = [*range(special), *(self._ids.get(symbol, -1) for symbol in cut.symbols[special:])]
        return rows if all(one < following for one, following in itertools.pairwise(rows)) else None

    def fingerprint(self) -> str:
        """sha256 over all symbols in order; equal for equal vocabularies only."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        # Pieces that hold lone surrogates do not occur in files, but must not crash a comparison either.
        return hashlib.sha256("\n".join(self.symbols).encode("utf-8", "surrogatepass")).hexdigest()

    @classmethod
    def from_dict_txt(cls, path: str | PathLike[str], mask: bool = False) -> Vocabulary:
        """Reads fairseq's ``dict.txt``.

        Args:
            path: the file.
            mask: put ``<mask>`` last if the file does not hold it, as fairseq's tasks for RoBERTa do.

        Raises:
            InputError: the file is missing, not UTF-8 or empty, has a line without a count, or a piece twice.
        """
        pieces: list[str] = []
        seen = set(SPECIALS)
        # Lines end at "\n" alone and the count stands behind the last space: U+0085, U+00A0 and U+3000 are pieces of
        # XLM-R that str.splitlines and str.split would destroy.
        for number, line in enumerate(_read_text(path).split("\n"), 1):
            line = line.removesuffix("\r")
            if not line:
                continue
            piece, space, count = line.rpartition(" ")
            overwrite = count == OVERWRITE
            if overwrite:
                piece, space, count = piece.rpartition(" ")
            if not space or not count.isdecimal():
                raise InputError(f"expected 'piece count', found {line!r}", path, number)
            if piece in seen and not overwrite:
                raise InputError(f"the piece {piece!r} occurs twice", path, number)
            seen.add(piece)
            pieces.append(piece)
        if not pieces:
            raise InputError("is empty; expected lines of 'piece count'", path)
        return cls.from_pieces(pieces, mask=mask and MASK not in seen)

    def write_dict_txt(self, path: str | PathLike[str]) -> None:
        """Writes fairseq's ``dict.txt``: the pieces with the count 1, without special symbols and a last ``<mask>``.

        Raises:
            InputError: a piece holds a line end, which the format cannot express.
        """
        pieces = self.symbols[len(SPECIALS) :]
        if pieces and pieces[-1] == MASK:
            pieces = pieces[:-1]
        seen = set(SPECIALS)
        lines = []
        for piece in pieces:
            if "\n" in piece or "\r" in piece:
                raise InputError(f"fairseq's dict.txt cannot hold the piece {piece!r}: it contains a line end", path)
            lines.append(f"{piece} 1 {OVERWRITE}\n" if piece in seen else f"{piece} 1\n")
            seen.add(piece)
        Path(path).write_bytes("".join(lines).encode("utf-8", "surrogatepass"))


def _read_text(path: str | PathLike[str]) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError("no such file", path) from None
    except IsADirectoryError:
        raise InputError("is a folder, expected a dict.txt", path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 (byte {error.start})", path) from None
