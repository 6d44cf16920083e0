"""Splits a document into sentences, for next_sentence.

A line end always ends a sentence. Within a line Wikimedia's ``sentencex`` decides. It has rules and abbreviations for
some 300 languages; in doubt it leaves two sentences together rather than cut one.
"""

from __future__ import annotations

import re

import sentencex

from skill_plugin.spec.languages import primary_language

_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f]")


def split_sentences(text: str, language: str) -> tuple[str, ...]:
    """Splits a text into sentences.

    Args:
        text: any Unicode text without halves of surrogate pairs.
        language: the code of its language; unknown languages get the library's general rules.

    Returns:
        The sentences in order, without the spaces around them and never empty. Together they hold every character of
        the text that is not a space.
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
    """Strings with the lengths of the sentences."""
    try:
        # sentencex 1.0 panics at a capital letter, a space that takes several bytes and a full stop
        parts: list[str] = sentencex.segment(code, _WIDE_SPACE.sub(" ", line))
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of pyo3, which does not let itself be imported
            raise
        return [line]
    return parts
