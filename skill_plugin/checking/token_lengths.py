"""What a tokenizer makes of a split.

Axis: n rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skill_plugin.checking.lengths import Lengths, sequence_lengths
from skill_plugin.readers import Example
from skill_plugin.readers.example import texts_of_a_sequence
from skill_plugin.spec import KINDS, Corpus
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.text.windows import windows
from skill_plugin.text.words import encode_words_batch

if TYPE_CHECKING:
    from skill_plugin.text.text_encoder import TextEncoder
    from skill_plugin.text.tokenizer import IntArray

BATCH = 1000  # rows that are encoded at a time


@dataclass(frozen=True)
class TokenReport:
    """What a tokenizer makes of a split; shares are between 0 and 1.

    Attributes:
        lengths: tokens of the sequences with special ones, before anything is cut; None where there is no sequence.
        max_length: tokens of the longest sequence, special ones included.
        truncated: share of the sequences that lose tokens; of a kind that reads windows, of the questions that do.
        windowed: share of the rows that are read through several windows.
        sequences: that training reads, each window for itself.
        pieces: of all texts, without special tokens.
        unknown: pieces that the vocabulary lacks.
        unknown_pieces: their share of the pieces.
    """

    lengths: Lengths | None
    max_length: int
    truncated: float
    windowed: float
    sequences: int
    pieces: int
    unknown: int
    unknown_pieces: float


def token_report(corpus: Corpus, examples: Sequence[Example], encoder: TextEncoder, max_length: int) -> TokenReport:
    """Encodes the examples of a corpus.

    Args:
        corpus: theirs.
        examples: of one split.
        encoder: with a tokenizer.
        max_length: tokens of the longest sequence; more than ``special_tokens`` of it.

    Raises:
        InputError: there is no tokenizer.
    """
    windowed, template = KINDS[corpus.kind].windowed, encoder.template
    lengths: list[int] = []
    pieces = unknown = truncated = several = sequences = 0
    for example, texts, candidates in _counted(corpus, examples, encoder):
        counts, more = [text.pieces for text in texts], [candidate.pieces for candidate in candidates]
        pieces += sum(counts) + sum(more)
        unknown += sum(text.unknown for text in (*texts, *candidates))
        special = template.special_tokens(texts_of_a_sequence(corpus.kind, len(example.texts)))
        whole = [length + special for length in sequence_lengths(corpus.kind, counts, more)]
        lengths += whole
        if windowed:
            cut, divided = _divided(corpus, counts, max_length - special)
            truncated += cut
            several += divided > 1
            sequences += divided
        else:
            truncated += sum(length > max_length for length in whole)
            sequences += len(whole)
    return TokenReport(
        lengths=Lengths.of(lengths),
        max_length=max_length,
        truncated=truncated / max(len(lengths), 1),
        windowed=several / max(len(examples), 1),
        sequences=sequences,
        pieces=pieces,
        unknown=unknown,
        unknown_pieces=unknown / max(pieces, 1),
    )


def special_tokens(corpus: Corpus, examples: Sequence[Example], encoder: TextEncoder) -> int:
    """Special tokens of a sequence of the corpus; a longest sequence must have room for more."""
    texts = len(examples[0].texts) if examples else 1
    return encoder.template.special_tokens(texts_of_a_sequence(corpus.kind, texts))


def _divided(corpus: Corpus, counts: Sequence[int], room: int) -> tuple[bool, int]:
    """Whether the question loses tokens, and into how many windows the last text is divided.

    The question of a span keeps ``max_question`` tokens and at most half of the room; windows of masked_lm do not
    overlap unless the corpus has a stride.
    """
    *before, length = counts
    kept = [min(count, corpus.max_question, room // 2) for count in before]
    room -= sum(kept)
    stride = corpus.stride
    if stride is None and corpus.kind == "masked_lm":
        stride = room
    return kept != before, len(windows(length, room, None if stride is None else min(stride, room)))


@dataclass(frozen=True)
class _Count:
    pieces: int
    unknown: int

    @classmethod
    def of(cls, ids: IntArray) -> _Count:
        return cls(len(ids), int((ids == Vocabulary.unk).sum()))


def _counted(
    corpus: Corpus, examples: Sequence[Example], encoder: TextEncoder
) -> Iterator[tuple[Example, list[_Count], list[_Count]]]:
    """Each example with the pieces of its texts and of its candidates."""
    for start in range(0, len(examples), BATCH):
        batch = examples[start : start + BATCH]
        if corpus.kind == "labelling":
            sentences = [[example.texts[0][first:last] for first, last in example.words] for example in batch]
            encoded = encode_words_batch(encoder, sentences, spaced=corpus.join == "space")
            for example, words in zip(batch, encoded, strict=True):
                yield example, [_Count.of(words.ids)], []
            continue
        # one context has many questions
        distinct = list({text: None for example in batch for text in (*example.texts, *example.candidates)})
        encodings = encoder.encode_batch(distinct)
        known = {text: _Count.of(encoding.ids) for text, encoding in zip(distinct, encodings, strict=True)}
        for example in batch:
            yield example, [known[text] for text in example.texts], [known[text] for text in example.candidates]
