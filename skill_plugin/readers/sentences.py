"""A document as sentences, for next_sentence.

Line ends always end a sentence. Within a line Wikimedia's ``sentencex`` decides: rules and lists of abbreviations for
some 300 languages, which rather leaves two sentences together than cuts one.
"""

from __future__ import annotations

import sentencex


def split_sentences(text: str, language: str) -> tuple[str, ...]:
    """The sentences of a text in order.

    Args:
        text: any Unicode without half surrogates.
        language: code such as ``de`` or ``zh-TW``; one that the library does not know gets its general rules.

    Returns:
        Sentences without the spaces around them, none of them empty; together they hold every character of the text
        that is not a space.
    """
    code = language.replace("_", "-").partition("-")[0].lower()
    return tuple(
        sentence for line in text.splitlines() for part in _split_line(line, code) if (sentence := part.strip())
    )


def _split_line(line: str, code: str) -> list[str]:
    if not line.strip():
        return []
    parts: list[str] = sentencex.segment(code, line)
    parts_end, out = 0, []
    for part in parts:
        out.append(line[parts_end : parts_end + len(part)])
        parts_end += len(part)
    return [*out, line[parts_end:]]
