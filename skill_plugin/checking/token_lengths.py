"""What a tokenizer makes of a split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from skill_plugin.checking.lengths import LengthSummary
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers import Example, Fault
from skill_plugin.spec import Corpus
from skill_plugin.store.token_counts import BATCH, count_tokens

if TYPE_CHECKING:
    from skill_plugin.text.text_encoder import TextEncoder


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

    lengths: LengthSummary | None
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


def report_tokens(corpus: Corpus, examples: Sequence[Example], encoder: TextEncoder, max_length: int) -> TokenReport:
    """Encodes the examples of a corpus.

    Args:
        corpus: theirs.
        examples: of one split.
        encoder: with a tokenizer.
        max_length: tokens of the longest sequence.

    Raises:
        InputError: there is no tokenizer, or the longest sequence has no room for texts.
    """
    batches = (examples[start : start + BATCH] for start in range(0, len(examples), BATCH))
    storage = kind_named(corpus.kind).storage
    rows = (row for batch in batches for row in storage.encode(corpus, batch, encoder))
    found = count_tokens(corpus, examples, rows, encoder.template, max_length)
    return TokenReport(
        lengths=LengthSummary.of(found.lengths),
        max_length=max_length,
        truncated=found.truncated,
        windowed=found.windowed,
        sequences=found.sequences,
        pieces=found.pieces,
        unknown=found.unknown,
        unknown_pieces=found.unknown_pieces,
        long_answers=found.long_answers,
        divided_answers=found.divided_answers,
        notices=found.notices,
    )
