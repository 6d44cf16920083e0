"""What a tokenizer makes of a split."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from skill_plugin.checking.lengths import LengthSummary
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.spec import Corpus
from skill_plugin.store.token_counts import TokenCounter, TokenCounts

if TYPE_CHECKING:
    from skill_plugin.text.text_encoder import TextEncoder


@dataclass(frozen=True, eq=False)
class TokenReport:
    """What a tokenizer makes of a split.

    Attributes:
        counts: the tokens of the split.
        lengths: the lengths of its sequences, before anything is cut; None if there are no sequences.
    """

    counts: TokenCounts
    lengths: LengthSummary | None

    def to_json(self) -> dict[str, Any]:
        """Plain values, without the notices, which the report lists."""
        found = self.counts
        return {
            "lengths": None if self.lengths is None else asdict(self.lengths),
            "max_length": found.max_length,
            "truncated": found.truncated,
            "windowed": found.windowed,
            "sequences": found.sequences,
            "pieces": found.pieces,
            "unknown": found.unknown,
            "unknown_pieces": found.unknown_pieces,
            "long_answers": found.long_answers,
            "divided_answers": found.divided_answers,
        }


def report_tokens(corpus: Corpus, examples: ExampleRows, encoder: TextEncoder, max_length: int) -> TokenReport:
    """Encodes the examples of a split and counts their tokens.

    Args:
        corpus: the corpus.
        examples: the examples of one split.
        encoder: a text encoder with a tokenizer.
        max_length: the most tokens of a sequence, special tokens included.

    Raises:
        InputError: there is no tokenizer, or ``max_length`` leaves no room for texts.
    """
    counter = TokenCounter(corpus, encoder, max_length)
    storage = kind_named(corpus.kind).storage
    for block in examples.blocks():
        counter.add(block, storage.encode_block(corpus, block, encoder))
    found = counter.counts()
    return TokenReport(found, LengthSummary.of(found.lengths))
