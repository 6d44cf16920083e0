"""Raw text, some of whose tokens are masked (SkillNet-X, section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.kinds.items import CorpusReading, Target
from skill_plugin.kinds.masked_lm.answer import FillPrediction
from skill_plugin.kinds.masked_lm.hidden_tokens import HiddenTokenItems
from skill_plugin.kinds.windowed import Windows, divide_tokens
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.masking import mask_tokens
from skill_plugin.text.vocabulary import SPECIALS


class MaskedLmItems(HiddenTokenItems):
    """Units are the hidden tokens, others in every epoch, or a text's own masks; outputs are logits [U, V].

    Raises:
        InputError: the vocabulary has no mask.
    """

    def __init__(self, reading: CorpusReading) -> None:
        super().__init__(reading)
        vocabulary = reading.encoder.vocabulary
        if vocabulary.mask is None:
            raise InputError(f"corpus {self.corpus.name!r} needs a mask, which the encoder's vocabulary lacks")
        self.mask = vocabulary.mask
        self.ordinary = (len(SPECIALS), len(vocabulary))

    def tokens_read(self, row: EncodedRow, windows: Windows, numbers: range) -> list[NDArray[np.int64]]:
        masks = np.flatnonzero(row.texts[0] == self.mask).astype(np.int64)
        bounds = divide_tokens(masks, len(row.texts[0]), windows).tolist()
        return [masks[bounds[number] : bounds[number + 1]] for number in numbers]

    def masked(
        self, sequences: Sequence[EncodedSequence], random: np.random.Generator
    ) -> tuple[list[EncodedSequence], Target]:
        hidden, targets = [], []
        for sequence in sequences:
            tokens = np.array(sequence.tokens, np.int32)
            inner = np.flatnonzero(tokens >= len(SPECIALS))
            masked = mask_tokens(tokens[inner], self.mask, self.ordinary, rng=random)
            tokens[inner] = masked.inputs
            hidden.append(EncodedSequence(tokens, sequence.token_types, inner[masked.positions].astype(np.int64)))
            targets.append(masked.targets.astype(np.int64))
        return hidden, {"classes": np.concatenate(targets)}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> FillPrediction:
        symbols = self.reading.encoder.vocabulary.symbols
        logs, ids = outputs.chunk(2, dim=-1)
        return FillPrediction(
            [
                {symbols[i]: share for i, share in zip(pieces, shares, strict=True)}
                for pieces, shares in zip(ids.long().tolist(), logs.exp().tolist(), strict=True)
            ]
        )
