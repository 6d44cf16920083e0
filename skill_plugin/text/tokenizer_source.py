"""A tokenizer as its files describe it, before it has a vocabulary in fairseq's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from skill_plugin.errors import InputError
from skill_plugin.text.hub_tokenizer import SpecialTokens
from skill_plugin.text.tokenizer import Tokenizer
from skill_plugin.text.vocabulary import SPECIALS, Vocabulary

Order = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class TokenizerSource:
    """A tokenizer as it was found in files.

    Attributes:
        tokens: the token of each id of the source; None if an id has no token.
        special: the source's names of the special symbols.
        word_piece: whether pairs are joined as in BERT (one separator, token types); otherwise as in RoBERTa.
        build: makes the tokenizer for a vocabulary.
        file: where it was read from, for messages.
    """

    tokens: Sequence[str | None]
    special: SpecialTokens
    word_piece: bool
    build: Callable[[Vocabulary], Tokenizer]
    file: Path

    def arrange(self, rows: int | None = None) -> tuple[Vocabulary, Order]:
        """The vocabulary in fairseq's order, and how to bring an embedding table into it.

        Args:
            rows: rows of the embedding table, which may be more than the tokenizer has tokens; the others get names
                such as ``madeupword0000``, as in fairseq.

        Returns:
            The vocabulary of V symbols, and ``order``, int64 [V]: new row i is the source's row ``order[i]``, or none
            of them where that is -1: mT5 has no ``<s>``.

        Raises:
            InputError: a special token is missing, or the table is shorter than the tokenizer.
        """
        rows = len(self.tokens) if rows is None else rows
        if rows < len(self.tokens):
            message = f"the tokenizer has {len(self.tokens):,} tokens, the embedding table only {rows:,} rows"
            raise InputError(message, self.file)
        ids = {token: i for i, token in enumerate(self.tokens) if token is not None}
        names = self.special.to_list()
        missing = [name for name in names if name and name not in ids]
        if missing:
            raise InputError(f"the tokenizer lacks the special token {missing[0]!r}", self.file)
        first = [ids[name] if name else -1 for name in names[:4]]
        last = [ids[name] for name in names[4:] if name]
        taken = {*first, *last}
        middle = [i for i in range(rows) if i not in taken]
        pieces = _unique_names([self.tokens[i] if i < len(self.tokens) else None for i in middle])
        return Vocabulary.from_pieces(pieces, mask=bool(last)), np.array([*first, *middle, *last], np.int64)


def _unique_names(tokens: Sequence[str | None]) -> list[str]:
    """Replaces what fairseq's dict.txt cannot hold: missing tokens, line ends, and namesakes of special symbols."""
    known = {*SPECIALS, *(token for token in tokens if token is not None)}
    out, made = [], 0
    for token in tokens:
        if token is None or token in SPECIALS or "\n" in token or "\r" in token:
            while (name := f"madeupword{made:04d}") in known:
                made += 1
            made += 1
            out.append(name)
        else:
            out.append(token)
    return out
