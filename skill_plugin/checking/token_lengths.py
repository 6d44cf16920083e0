"""What a tokenizer makes of a split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from skill_plugin.checking.report import Lengths, TokenReport
from skill_plugin.readers import Example

if TYPE_CHECKING:
    from skill_plugin.text.text_encoder import TextEncoder

BATCH = 1000  # rows that are encoded at a time


def token_report(examples: Sequence[Example], encoder: TextEncoder, max_length: int) -> TokenReport | None:
    """Lengths with special tokens before truncation, the share of rows beyond ``max_length``, and of unknown pieces.

    Returns:
        None where there is no row.
    """
    lengths: list[int] = []
    pieces = unknown = 0
    for start in range(0, len(examples), BATCH):
        batch = examples[start : start + BATCH]
        encodings = iter(encoder.encode_batch([text for example in batch for text in example.texts]))
        for example in batch:
            ids = [next(encodings).ids for _ in example.texts]
            length = sum(map(len, ids))
            lengths.append(length + encoder.template.special_tokens(len(ids)))
            pieces += length
            unknown += sum(int(np.count_nonzero(part == encoder.vocabulary.unk)) for part in ids)
    summary = Lengths.of(lengths)
    if summary is None:
        return None
    truncated = sum(length > max_length for length in lengths) / len(lengths)
    return TokenReport(summary, max_length, truncated, unknown / pieces if pieces else 0.0)
