"""One input of a person, as text, texts or a mapping, to the example that it asks about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.words import split_words

RawInput = str | Sequence[str] | Mapping[str, Any]

# kinds whose lines are texts, whatever is written in them, with the number of texts where the columns do not say it
_TEXTS = {"classification": 0, "multilabel": 0, "regression": 0, "masked_lm": 1, "next_sentence": 2}
_KEYS = {
    "ranking": ("text_a", "question", "candidates"),
    "labelling": ("words", "text"),
    "span": ("question", "context", "id"),
    "word_in_context": ("text_a", "text_b", "word_a", "start_a", "end_a", "word_b", "start_b", "end_b"),
}
_OTHER_NAMES = {"query": "text_a", "choices": "candidates", "token": "words", "tokens": "words"}


def parse_line(corpus: Corpus, line: str) -> RawInput:
    """A line of a file as an input.

    Kinds of one to three texts split it at tabs, as many times as they have texts. The others take a JSON object; where
    a line is none, labelling takes it as a sentence, and span and ranking split it at tabs.

    Raises:
        InputError: a line that begins like a JSON object but is none, or one of a kind that needs an object.
    """
    if corpus.kind in _TEXTS:
        count = _text_count(corpus)
        return line.split("\t", count - 1) if count > 1 else (line,)
    if line.lstrip().startswith("{"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            if corpus.kind != "labelling":
                raise InputError(f"not JSON: {error}") from None
        else:
            if isinstance(value, dict) and (corpus.kind != "labelling" or _known(corpus, value)):
                return value
    if corpus.kind == "labelling":
        return line
    if corpus.kind == "word_in_context":
        raise InputError(f"the kind {corpus.kind} takes JSON lines with the keys {', '.join(_KEYS[corpus.kind])}")
    return line.split("\t", 1) if corpus.kind == "span" else line.split("\t")


def make_example(corpus: Corpus, value: RawInput) -> Example:
    """The example that an input asks about; without an answer.

    Args:
        corpus: whose question it is.
        value: one to three texts (missing ones are empty); question and context (span); a query, with the question
            where the corpus has one, and its candidates (ranking); a sentence or its words (labelling); or a mapping
            with the keys of the kind.

    Raises:
        InputError: a key that is missing, unknown or of the wrong type, an offset outside its text.
    """
    if isinstance(value, Mapping):
        return _from_mapping(corpus, {_OTHER_NAMES.get(str(key), str(key)): part for key, part in value.items()})
    texts = (value,) if isinstance(value, str) else tuple(value)
    if corpus.kind == "labelling":
        return _sentence(corpus, texts[0]) if isinstance(value, str) else _words(corpus, texts)
    if corpus.kind == "word_in_context":
        raise InputError(f"the kind {corpus.kind} takes the keys {', '.join(_KEYS[corpus.kind])}")
    if corpus.kind == "ranking":
        shared = 2 if "question" in corpus.columns else 1
        padded = (*texts, *[""] * (shared + 1 - len(texts)))
        return Example(padded[:shared], None, "", 0, candidates=padded[shared:])
    count = 2 if corpus.kind == "span" else _text_count(corpus)
    if len(texts) > count:
        raise InputError(f"{len(texts)} texts; the corpus {corpus.name!r} has {count}")
    return Example((*texts, *[""] * (count - len(texts))), None, "", 0)


def _text_count(corpus: Corpus) -> int:
    return _TEXTS[corpus.kind] or len(corpus.text_columns)


def _known(corpus: Corpus, value: Mapping[str, Any]) -> bool:
    return any(_OTHER_NAMES.get(key, key) in _KEYS[corpus.kind] for key in value)


def _from_mapping(corpus: Corpus, value: Mapping[str, Any]) -> Example:
    keys = _KEYS.get(corpus.kind) or (corpus.text_columns if not _TEXTS[corpus.kind] else ("text_a", "text_b"))
    for key in value:
        if key not in keys:
            raise InputError(f"unknown key {key!r}{nearest(key, keys)}")
    if corpus.kind == "labelling":
        if "words" in value:
            return _words(corpus, _texts(value, "words"))
        return _sentence(corpus, _text(value, "text"))
    if corpus.kind == "span":
        texts = (_text(value, "question"), _text(value, "context"))
        return Example(texts, None, "", 0, id=str(value.get("id", "")))
    if corpus.kind == "ranking":
        candidates = _texts(value, "candidates")
        if not candidates:
            raise InputError("no candidates; expected a list of one or more")
        shared = ("text_a", "question") if "question" in corpus.columns else ("text_a",)
        return Example(tuple(_text(value, key) for key in shared), None, "", 0, candidates=candidates)
    if corpus.kind == "word_in_context":
        return _word_in_context(value)
    return make_example(corpus, [_text(value, key) if key in value else "" for key in keys[: _text_count(corpus)]])


def _text(value: Mapping[str, Any], key: str) -> str:
    if not isinstance(value.get(key), str):
        found = f"not {value[key]!r}" if key in value else f"the keys are {', '.join(map(repr, value)) or 'none'}"
        raise InputError(f"expected a text under {key!r}, {found}")
    return str(value[key])


def _texts(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = value.get(key)
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"expected a list of texts under {key!r}, not {texts!r}")
    return tuple(texts)


def _sentence(corpus: Corpus, text: str) -> Example:
    return Example((text,), None, "", 0, words=split_words(text, corpus.language))


def _words(corpus: Corpus, words: Sequence[str]) -> Example:
    space, at, places = " " if corpus.join == "space" else "", 0, []
    for word in words:
        places.append((at, at + len(word)))
        at += len(word) + len(space)
    return Example((space.join(words),), None, "", 0, words=tuple(places))


def _word_in_context(value: Mapping[str, Any]) -> Example:
    texts = (_text(value, "text_a"), *((_text(value, "text_b"),) if "text_b" in value else ()))
    spans = []
    for end, text in (("a", 0), ("b", len(texts) - 1)):
        word, start = value.get(f"word_{end}"), value.get(f"start_{end}")
        if start is None:
            start = texts[text].find(_text(value, f"word_{end}"))
            if start < 0:
                raise InputError(f"the word {word!r} is not in its text")
        stop = value.get(f"end_{end}", start + len(word) if isinstance(word, str) and isinstance(start, int) else None)
        if not (type(start) is int and type(stop) is int and 0 <= start < stop <= len(texts[text])):
            message = f"start_{end} {start!r} and end_{end} {stop!r} are no characters of a text of {len(texts[text])}"
            raise InputError(message)
        spans.append((text, start, stop))
    return Example(texts, None, "", 0, spans=tuple(spans))
