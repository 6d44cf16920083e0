"""Words: where they are in a text, and which pieces an encoder's vocabulary has for them.

In languages with spaces a sentence is encoded as running text, as in pretraining, and each word's first piece is found
by its offsets. In languages without spaces every character is a word, and is encoded as in the middle of a text, not as
at its beginning.
Axes: T pieces of a sentence, W words of a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import regex

from skill_plugin.errors import InputError
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer import Encoding, IntArray, replace_surrogates
from skill_plugin.text.vocabulary import Vocabulary

_UNKNOWN = np.array([Vocabulary.unk], np.int32)


@dataclass(frozen=True, eq=False)
class EncodedWords:
    """A sentence as pieces, without special tokens.

    Attributes:
        ids: int32 [T], ids of the vocabulary.
        first: int32 [W], the number of each word's first visible piece, strictly increasing; every piece belongs to
            exactly one word.
    """

    ids: IntArray
    first: IntArray


def split_words(text: str, spaced: bool) -> tuple[tuple[int, int], ...]:
    """Splits a raw text into words. Every character that is not a space is in exactly one word.

    Args:
        text: a text of a corpus, or one that is to be tagged.
        spaced: if true, a word is a run of letters, digits, underscores and combining marks, or one other sign with its
            marks; if false, as in languages without spaces, every character is a word.

    Returns:
        The first character and one past the last of each word, in order.
    """
    return tuple(match.span() for match in _compiled_pattern(spaced).finditer(text))


def word_pattern(spaced: bool) -> str:
    """What ``split_words`` takes for a word, as a pattern of the library ``regex``."""
    space, base = r"\s\x1c-\x1f", r"\p{L}\p{N}_"  # str.isspace is true of these four too
    if not spaced:
        return f"[^{space}]"
    letter = rf"{base}\p{{M}}"  # without marks words of Hindi or decomposed accents fall apart
    # U+200C and U+200D join letters in Persian and Indic words, and emoji into one sign
    word = rf"[{letter}](?:[{letter}]|[\u200c\u200d]+(?=[{letter}]))*"
    sign = rf"[^{space}](?:\p{{M}}|\u200d[^{space}{base}])*"
    return f"{word}|{sign}"


@lru_cache(maxsize=2)
def _compiled_pattern(spaced: bool) -> regex.Pattern[str]:
    return regex.compile(word_pattern(spaced))


def encode_words_batch(encoder: TextEncoder, sentences: Sequence[Sequence[str]], spaced: bool) -> list[EncodedWords]:
    """Encodes sentences that are given as words.

    Args:
        encoder: a text encoder with a tokenizer.
        sentences: the words of each sentence: any strings, also empty ones.
        spaced: if true, a sentence is encoded as its words with spaces between; if false, word by word, each as in the
            middle of a text.

    Returns:
        The sentences in order. A word for which the tokenizer has no piece gets ``<unk>``.

    Raises:
        InputError: there is no tokenizer.
    """
    if not spaced:
        return _word_by_word(encoder, sentences, continuing=True)
    encodings = encoder.encode_batch([" ".join(words) for words in sentences])
    found = [_divide(encoding, words) for encoding, words in zip(encodings, sentences, strict=True)]
    undivided = [i for i, encoded in enumerate(found) if encoded is None]
    apart = _word_by_word(encoder, [_with_spaces(sentences[i]) for i in undivided], continuing=False)
    again = iter(apart)
    return [next(again) if encoded is None else encoded for encoded in found]


def _divide(encoding: Encoding, words: Sequence[str]) -> EncodedWords | None:
    """Assigns the pieces of a sentence to its words, joined by spaces; None if a piece is part of two words."""
    if not words:
        return EncodedWords(encoding.ids, np.zeros(0, np.int32))
    begins = np.zeros(len(words), np.int64)
    np.cumsum([len(word) + 1 for word in words[:-1]], out=begins[1:])
    starts, ends = encoding.offsets[:, 0], encoding.offsets[:, 1]
    ink = starts < ends
    owner = np.searchsorted(begins, starts, "right") - 1
    last = np.searchsorted(begins, ends - 1, "right") - 1
    if (owner != last)[ink].any() or (owner[1:] < owner[:-1]).any():
        return None
    first = np.full(len(words), -1, np.int64)
    # the last assignment counts: pieces backwards, those with ink after the others
    for pieces in (np.flatnonzero(~ink)[::-1], np.flatnonzero(ink)[::-1]):
        first[owner[pieces]] = pieces
    missing = np.flatnonzero(first < 0)
    if not len(missing):
        return EncodedWords(encoding.ids, first.astype(np.int32))
    places = np.searchsorted(owner, missing)
    first[missing] = places
    first += np.searchsorted(missing, np.arange(len(words)))  # the <unk>s put in before a word
    return EncodedWords(np.insert(encoding.ids, places, Vocabulary.unk), first.astype(np.int32))


def _with_spaces(words: Sequence[str]) -> list[str]:
    """Puts a space before every word but the first: byte-level BPE has other pieces for a word after a space."""
    return [word if i == 0 else f" {word}" for i, word in enumerate(words)]


def _word_by_word(encoder: TextEncoder, sentences: Sequence[Sequence[str]], continuing: bool) -> list[EncodedWords]:
    if encoder.tokenizer is None:
        raise InputError("there is no tokenizer: this encoder or data folder came without one")
    distinct = list({word: None for words in sentences for word in words})
    encodings = encoder.tokenizer.encode_batch([replace_surrogates(word) for word in distinct], continuing)
    known = {word: _one_word(encoding) for word, encoding in zip(distinct, encodings, strict=True)}
    return [_join([known[word] for word in words]) for words in sentences]


def _one_word(encoding: Encoding) -> tuple[IntArray, int]:
    """The pieces of a word, and the number of the first visible one."""
    if not len(encoding.ids):
        return _UNKNOWN, 0
    return encoding.ids, int(np.argmax(encoding.offsets[:, 0] < encoding.offsets[:, 1]))


def _join(words: Sequence[tuple[IntArray, int]]) -> EncodedWords:
    if not words:
        return EncodedWords(np.zeros(0, np.int32), np.zeros(0, np.int32))
    lengths = np.array([len(ids) for ids, _ in words])
    first = np.cumsum(lengths) - lengths + np.array([first for _, first in words])
    return EncodedWords(np.concatenate([ids for ids, _ in words]), first.astype(np.int32))
