"""One example as ids: what the store holds of it, and what a prediction from raw text starts with.

Axes: T tokens of a text, W words, A accepted answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import numpy.typing as npt

from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.spans import token_range
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer import Encoding
from skill_plugin.text.words import encode_words_batch

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class EncodedRow:
    """The texts of an example as ids, without special tokens, and what its kind needs beside them.

    Attributes:
        texts: int32 [T] each; as many in every row of a corpus.
        members: int32 [T] each; any number: the candidates of a ranking, the sentences of a document.
        arrays: int32, by name, the names of ``LAYOUTS``:
            ``first`` [W] the first token of each word; ``offset`` [2T] first character and one past the last of each
            token of the last text; ``answer`` [2A] first and last token of each accepted answer in the last text;
            ``span`` [6] text, first token and one past the last of two words; ``relevance`` of each member; after
            reading also ``label``, ids of the labels.
        score: of a regression, where known.
    """

    texts: tuple[Ids, ...]
    members: tuple[Ids, ...] = ()
    arrays: Mapping[str, Ids] = field(default_factory=dict)
    score: float | None = None


@dataclass(frozen=True)
class Layout:
    """What is stored of a kind beside its texts: named arrays, and whether rows have members."""

    arrays: tuple[str, ...] = ()
    members: bool = False


LAYOUTS: dict[str, Layout] = {
    "classification": Layout(),
    "multilabel": Layout(),
    "regression": Layout(),
    "ranking": Layout(("relevance",), members=True),
    "labelling": Layout(("first",)),
    "span": Layout(("offset", "answer")),
    "word_in_context": Layout(("span",)),
    "masked_lm": Layout(),
    "next_sentence": Layout(members=True),
}


def encode_examples(corpus: Corpus, examples: Sequence[Example], encoder: TextEncoder) -> list[EncodedRow]:
    """Examples of a corpus as ids, in order.

    Raises:
        InputError: there is no tokenizer.
    """
    if corpus.kind == "labelling":
        return _encode_words(examples, encoder, spaced=corpus.join == "space")
    texts = [text for example in examples for text in (*example.texts, *example.candidates)]
    encodings = iter(encoder.encode_batch(texts))
    return [_encode(corpus.kind, example, encodings) for example in examples]


def _encode(kind: str, example: Example, encodings: Iterator[Encoding]) -> EncodedRow:
    texts = [next(encodings) for _ in example.texts]
    members = [next(encodings) for _ in example.candidates]
    ids = tuple(encoding.ids for encoding in texts)
    if kind == "ranking":
        relevance = np.array(example.answer or (), np.int32)
        return EncodedRow(ids, tuple(member.ids for member in members), {"relevance": relevance})
    if kind == "next_sentence":
        return EncodedRow((), ids)
    if kind == "span":
        offsets = texts[-1].offsets
        arrays = {"offset": offsets.reshape(-1).astype(np.int32), "answer": answer_tokens(example, offsets)}
        return EncodedRow(ids, arrays=arrays)
    if kind == "word_in_context":
        return EncodedRow(ids, arrays={"span": _spans(example, texts)})
    return EncodedRow(ids)


def _encode_words(examples: Sequence[Example], encoder: TextEncoder, spaced: bool) -> list[EncodedRow]:
    sentences = [[example.texts[0][start:end] for start, end in example.words] for example in examples]
    return [
        EncodedRow((words.ids,), arrays={"first": words.first.astype(np.int32)})
        for words in encode_words_batch(encoder, sentences, spaced)
    ]


def answer_tokens(example: Example, offsets: Ids) -> Ids:
    """Answers whose place in the context is known, as first and last token [2A]; offsets [T, 2] of the context."""
    found: list[int] = []
    for start, text in cast("Sequence[tuple[int, str]]", example.answer or ()):
        place = token_range(offsets, start, start + len(text)) if start >= 0 else None
        if place is not None:
            found += [place[0], place[1] - 1]
    return np.array(found, np.int32)


def _spans(example: Example, texts: Sequence[Encoding]) -> Ids:
    """A word without any token of its own is read at the token that follows it, else at the last one."""
    found: list[int] = []
    for text, start, end in example.spans:
        offsets = texts[text].offsets
        place = token_range(offsets, start, end)
        if place is None:
            first = min(int(np.searchsorted(offsets[:, 0], start)), max(len(offsets) - 1, 0))
            place = (first, first + 1)
        found += [text, *place]
    return np.array(found, np.int32)
