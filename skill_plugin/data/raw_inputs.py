"""One input of a person, as text, texts or a mapping, to the example that it asks about."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.words import split_words

RawInput = str | Sequence[str] | Mapping[str, Any]

_KEYS = {
    "ranking": ("text_a", "question", "candidates"),
    "labelling": ("words", "text"),
    "span": ("question", "context", "id"),
    "word_in_context": ("text_a", "text_b", "word_a", "start_a", "end_a", "word_b", "start_b", "end_b"),
}
_SYNONYMS = {"query": "text_a", "choices": "candidates", "token": "words", "tokens": "words"}
_WORDS = re.compile(r"\S+")  # what offsets in words count


def parse_line(corpus: Corpus, line: str) -> RawInput:
    """A line of a file as an input.

    Kinds of texts alone split it at tabs, as many times as they have texts, whatever is written there. The others take
    a JSON object; where a line is none, labelling takes it as a sentence, and span and ranking split it at tabs.

    Raises:
        InputError: a line that begins like a JSON object but is none, or one of a kind that needs an object.
    """
    if corpus.kind not in _KEYS:
        return line.split("\t", len(_text_names(corpus)) - 1)
    if line.lstrip().startswith("{"):
        try:
            value: RawInput = json.loads(line)
        except (ValueError, RecursionError) as error:
            value = {}
            if corpus.kind != "labelling":
                raise InputError(f"not JSON: {error}") from None
        if corpus.kind != "labelling" or any(_SYNONYMS.get(key, key) in _KEYS["labelling"] for key in value):
            return value
    if corpus.kind == "labelling":
        return line
    if corpus.kind == "word_in_context":
        raise InputError(f"the kind {corpus.kind} takes JSON lines with the keys {', '.join(_KEYS[corpus.kind])}")
    return line.split("\t", 1 if corpus.kind == "span" else -1)


def spare_tabs(corpus: Corpus, value: RawInput) -> bool:
    """Whether a line of ``parse_line`` had more tabs than there are between the texts, so that the last holds some."""
    if isinstance(value, Mapping) or corpus.kind == "ranking":
        return False
    return "\t" in (value if isinstance(value, str) else value[-1])


def make_example(corpus: Corpus, value: RawInput) -> Example:
    """The example that an input asks about; without an answer.

    Args:
        corpus: whose question it is.
        value: a text, or one to three texts, of which missing ones are empty; question and context (span); a query,
            with the question where the corpus has one, and its candidates (ranking); a sentence, or its words
            (labelling); or a mapping with the keys of the kind.

    Raises:
        InputError: a key that is missing, unknown or of the wrong type, an offset outside its text.
    """
    if isinstance(value, Mapping):
        return _from_mapping(corpus, {_SYNONYMS.get(key, key): part for key, part in value.items()})
    if isinstance(value, str) and corpus.kind == "labelling":
        return _sentence(corpus, value)
    texts = (value,) if isinstance(value, str) else _texts(value, "expected a text, a list of texts or a mapping")
    if corpus.kind == "labelling":
        return _words(corpus, texts)
    if corpus.kind == "word_in_context":
        raise InputError(f"the kind {corpus.kind} takes the keys {', '.join(_KEYS[corpus.kind])}")
    if corpus.kind == "ranking":
        count = len(_query_names(corpus))
        padded = (*texts, *[""] * (count + 1 - len(texts)))
        return _example(padded[:count], candidates=padded[count:])
    count = len(_text_names(corpus))
    if len(texts) > count:
        raise InputError(f"{len(texts)} texts; the corpus {corpus.name!r} has {count}")
    return _example((*texts, *[""] * (count - len(texts))))


def _example(texts: tuple[str, ...], **parts: Any) -> Example:
    return Example(texts, None, "", 0, **parts)


def _text_names(corpus: Corpus) -> tuple[str, ...]:
    """Names of the texts that an input of the corpus has, for kinds of texts alone and for span."""
    fixed = {"masked_lm": ("text",), "next_sentence": ("text_a", "text_b"), "span": ("question", "context")}
    return fixed.get(corpus.kind, corpus.text_columns)


def _query_names(corpus: Corpus) -> tuple[str, ...]:
    return ("text_a", "question") if "question" in corpus.columns else ("text_a",)


def _from_mapping(corpus: Corpus, value: Mapping[str, Any]) -> Example:
    keys = _KEYS.get(corpus.kind, _text_names(corpus))
    for key in value:
        if key not in keys:
            raise InputError(f"unknown key {key!r}{nearest(str(key), keys)}")
    if corpus.kind == "labelling":
        if "words" in value:
            return _words(corpus, _texts(value["words"], "expected a list of texts under 'words'"))
        return _sentence(corpus, _text(value, "text"))
    if corpus.kind == "span":
        return _example((_text(value, "question"), _text(value, "context")), id=str(value.get("id", "")))
    if corpus.kind == "ranking":
        candidates = _texts(value.get("candidates"), "expected a list of texts under 'candidates'")
        if not candidates:
            raise InputError("no candidates; expected a list of one or more")
        return _example(tuple(_text(value, key) for key in _query_names(corpus)), candidates=candidates)
    if corpus.kind == "word_in_context":
        return _word_in_context(corpus, value)
    if not value:
        raise InputError(f"expected texts under {' and '.join(map(repr, keys))}, the keys are none")
    return _example(tuple(_text(value, key) if key in value else "" for key in keys))


def _text(value: Mapping[str, Any], key: str) -> str:
    if not isinstance(value.get(key), str):
        found = f"not {value[key]!r}" if key in value else f"the keys are {', '.join(map(repr, value)) or 'none'}"
        raise InputError(f"expected a text under {key!r}, {found}")
    return str(value[key])


def _texts(value: Any, expected: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise InputError(f"{expected}, not {value!r}")
    return tuple(value)


def _sentence(corpus: Corpus, text: str) -> Example:
    return _example((text,), words=split_words(text, corpus.join == "space"))


def _words(corpus: Corpus, words: Sequence[str]) -> Example:
    space, at, places = " " if corpus.join == "space" else "", 0, []
    for word in words:
        places.append((at, at + len(word)))
        at += len(word) + len(space)
    return _example((space.join(words),), words=tuple(places))


def _word_in_context(corpus: Corpus, value: Mapping[str, Any]) -> Example:
    texts = (_text(value, "text_a"), *((_text(value, "text_b"),) if "text_b" in value else ()))
    spans = [(text, *_place(corpus, value, side, texts[text])) for side, text in (("a", 0), ("b", len(texts) - 1))]
    return _example(texts, spans=tuple(spans))


def _place(corpus: Corpus, value: Mapping[str, Any], side: str, text: str) -> tuple[int, int]:
    """[start, end) of a word in characters: by its offsets, which count what the corpus's do, or where it first is."""
    start, end = value.get(f"start_{side}"), value.get(f"end_{side}")
    word = _text(value, f"word_{side}") if f"word_{side}" in value or start is None else None
    if start is None:
        found = text.find(word or "")
        if not word or found < 0:
            raise InputError(f"the word {word!r} is not in its text")
        return found, found + len(word)
    words = [match.span() for match in _WORDS.finditer(text)] if corpus.offsets == "words" else None
    if end is None and type(start) is int and (word is not None or words is not None):
        end = start + (len(word or "") if words is None else max(1, len(_WORDS.findall(word or ""))))
    count = len(text) if words is None else len(words)
    if not (type(start) is int and type(end) is int and 0 <= start < end <= count):
        raise InputError(
            f"start_{side} is {start!r} and end_{side} {end!r}; expected offsets in {corpus.offsets}, 0 to {count}"
        )
    return (start, end) if words is None else (words[start][0], words[end - 1][1])
