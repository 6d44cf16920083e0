"""A document as sentences, for next_sentence.

Line ends always end a sentence. Within a line Wikimedia's ``sentencex`` decides: rules and lists of abbreviations for
some 300 languages, which rather leaves two sentences together than cuts one.
"""

from __future__ import annotations

import re

import sentencex

from skill_plugin.spec.languages import primary_language

_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f]")


def split_sentences(text: str, language: str) -> tuple[str, ...]:
    """The sentences of a text in order.

    Args:
        text: any Unicode without half surrogates.
        language: its code; one that the library does not know gets its general rules.

    Returns:
        Sentences without the spaces around them, none of them empty; together they hold every character of the text
        that is not a space.
    """
    code = primary_language(language)
    return tuple(
        sentence for line in text.splitlines() for part in _split_line(line, code) if (sentence := part.strip())
    )


def _split_line(line: str, code: str) -> list[str]:
    if not line.strip():
        return []
    parts_end, out = 0, []
    for part in _segment(code, line):
        out.append(line[parts_end : parts_end + len(part)])
        parts_end += len(part)
    return [*out, line[parts_end:]]


def _segment(code: str, line: str) -> list[str]:
    """Pieces as long as the sentences, in characters."""
    try:
        # sentencex 1.0 panics at a capital letter, a space that takes several bytes and a full stop
        parts: list[str] = sentencex.segment(code, _WIDE_SPACE.sub(" ", line))
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of pyo3, which does not let itself be imported
            raise
        return [line]
    return parts
