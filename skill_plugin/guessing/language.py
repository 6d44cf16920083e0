"""The language of texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from skill_plugin.errors import counted
from skill_plugin.spec.languages import is_language, is_mostly_unspaced, primary_language

_PIECE = 400  # characters that are looked at together
_PIECES = 40
_SHORT = 80  # characters that are too few to tell a language by; of Chinese and the like fewer will do
_SURE = 0.6  # share of the pieces that must be of one language


@dataclass(frozen=True)
class LanguageGuess:
    """A language by its code, None where it cannot be told, and why."""

    code: str | None
    why: str


def guess_language(texts: Iterable[str], names: Sequence[str]) -> LanguageGuess:
    """The language that most pieces of the texts are in; where that is unclear, the one of them that a name says.

    Args:
        texts: some texts.
        names: names of files and folders, of which words may be codes of languages.
    """
    import py3langid

    pieces = list(_pieces(texts))
    votes = Counter(str(py3langid.classify(piece)[0]) for piece in pieces)
    said = said_languages(names)
    if not votes:
        return LanguageGuess(None, "there is no text")
    code, count = votes.most_common(1)[0]
    share = count / votes.total()
    if len(pieces[0]) < _SHORT and code not in said and not is_mostly_unspaced(pieces[0]):
        return LanguageGuess(None, f"its texts have {counted(len(pieces[0]), 'character')}, too few to tell ({code}?)")
    if share >= _SURE:
        also = ", as names say" if code in said else ""
        return LanguageGuess(code, f"{count} of {votes.total()} pieces of its texts look so{also}")
    for one in said:
        if votes[one]:
            return LanguageGuess(
                one, f"a name says so, and {votes[one]} of {votes.total()} pieces of its texts look so"
            )
    found = ", ".join(f"{one} {number}" for one, number in votes.most_common(3))
    return LanguageGuess(None, f"pieces of its texts look like several languages: {found}")


def said_languages(names: Sequence[str]) -> list[str]:
    """The languages whose codes are words of names, the last one first."""
    words = [word for name in names for word in re.split(r"[^A-Za-z]+", name) if 2 <= len(word) <= 3]
    return [primary_language(word) for word in reversed(words) if is_language(word)]


def _pieces(texts: Iterable[str]) -> Iterator[str]:
    """Texts joined to pieces of some length."""
    begun, count = "", 0
    for text in texts:
        begun += f"{text[:_PIECE]}\n"
        if len(begun) >= _PIECE:
            yield begun
            begun, count = "", count + 1
            if count == _PIECES:
                return
    if begun.strip() and not count:
        yield begun
