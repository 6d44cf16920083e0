"""What a tokenizer makes of a split.

Axis: n rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skill_plugin.checking.lengths import Lengths, sequence_lengths
from skill_plugin.kinds.registry import kind_named
from skill_plugin.kinds.span.answer_reach import AnswerReach, question_and_windows
from skill_plugin.kinds.span.storage import answer_places
from skill_plugin.readers import Example, Fault
from skill_plugin.readers.example import texts_of_a_sequence
from skill_plugin.spec import Corpus
from skill_plugin.store.encoded_row import Ids
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
        long_answers, divided_answers: that no prediction can be (``AnswerReach``, span).
        notices: of these.
    """

    lengths: Lengths | None
    max_length: int
    truncated: float
    windowed: float
    sequences: int
    pieces: int
    unknown: int
    unknown_pieces: float
    long_answers: int = 0
    divided_answers: int = 0
    notices: tuple[Fault, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Without the notices, which the report lists."""
        return {name: value for name, value in asdict(self).items() if name != "notices"}


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
    windowed = kind_named(corpus.kind).windowed
    lengths: list[int] = []
    pieces = unknown = truncated = several = sequences = 0
    special = special_tokens(corpus, examples, encoder)
    reach = AnswerReach(corpus, max_length - special)
    for example, texts, candidates, answers in _counted(corpus, examples, encoder):
        counts, more = [text.pieces for text in texts], [candidate.pieces for candidate in candidates]
        pieces += sum(counts) + sum(more)
        unknown += sum(text.unknown for text in (*texts, *candidates))
        if corpus.kind == "span":
            reach.count(example, counts[0], counts[1], answers)
        whole = [length + special for length in sequence_lengths(corpus.kind, counts, more, max_length - special)]
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
        long_answers=reach.long,
        divided_answers=reach.divided,
        notices=tuple(reach.notices()),
    )


def special_tokens(corpus: Corpus, examples: Sequence[Example], encoder: TextEncoder) -> int:
    """Special tokens of a sequence of the corpus; a longest sequence must have room for more."""
    texts = len(examples[0].texts) if examples else 1
    return encoder.template.special_tokens(texts_of_a_sequence(corpus.kind, texts))


def _divided(corpus: Corpus, counts: Sequence[int], room: int) -> tuple[bool, int]:
    """Whether the question loses tokens, and into how many windows the last text is divided.

    Windows of masked_lm do not overlap unless the corpus has a stride.
    """
    if corpus.kind == "span":
        question, context = counts
        kept, divided = question_and_windows(corpus, question, context, room)
        return kept != question, len(divided)
    stride = room if corpus.stride is None and corpus.kind == "masked_lm" else corpus.stride
    return False, len(windows(counts[-1], room, None if stride is None else min(stride, room)))


@dataclass(frozen=True)
class _Count:
    pieces: int
    unknown: int

    @classmethod
    def of(cls, ids: IntArray) -> _Count:
        return cls(len(ids), int((ids == Vocabulary.unk).sum()))


def _counted(
    corpus: Corpus, examples: Sequence[Example], encoder: TextEncoder
) -> Iterator[tuple[Example, list[_Count], list[_Count], Ids]]:
    """Each example with the pieces of its texts and of its candidates, and first and last token of answers (span)."""
    none = np.zeros(0, np.int32)
    for start in range(0, len(examples), BATCH):
        batch = examples[start : start + BATCH]
        if corpus.kind == "labelling":
            sentences = [[example.texts[0][first:last] for first, last in example.words] for example in batch]
            encoded = encode_words_batch(encoder, sentences, spaced=corpus.join == "space")
            for example, words in zip(batch, encoded, strict=True):
                yield example, [_Count.of(words.ids)], [], none
            continue
        # one context has many questions
        distinct = list({text: None for example in batch for text in (*example.texts, *example.candidates)})
        encodings = encoder.encode_batch(distinct)
        by_text = dict(zip(distinct, encodings, strict=True))
        known = {text: _Count.of(encoding.ids) for text, encoding in by_text.items()}
        for example in batch:
            answers = answer_places(example, by_text[example.texts[-1]].offsets) if corpus.kind == "span" else none
            yield (
                example,
                [known[text] for text in example.texts],
                [known[text] for text in example.candidates],
                answers,
            )
