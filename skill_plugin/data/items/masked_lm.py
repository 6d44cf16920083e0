"""Raw text, some of whose tokens are hidden and to be guessed (SkillNet-X, section 3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.data.items.items import Reading, Target
from skill_plugin.data.items.windowed import WindowedItems
from skill_plugin.data.predictions import FillPrediction
from skill_plugin.errors import InputError
from skill_plugin.metrics.masked_lm import MaskedAnswer
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.masking import mask_tokens
from skill_plugin.text.vocabulary import MASK, SPECIALS

FILLS = 5  # pieces that a prediction names for a mask


class MaskedLmItems(WindowedItems):
    """Units are the hidden tokens, others in every epoch; outputs are logits [U, V]. Windows do not overlap, unless the
    corpus has a stride, so that every token counts once.

    Raises:
        InputError: the vocabulary has no mask.
    """

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        symbols = reading.encoder.vocabulary.symbols
        if symbols[-1] != MASK:
            raise InputError(f"corpus {self.corpus.name!r} needs a mask, which the encoder's vocabulary lacks")
        self.mask = len(symbols) - 1
        self.ordinary = (len(SPECIALS), self.mask)

    def encode(self, examples: Sequence[Example]) -> list[EncodedRow]:
        """As other texts, but what is written ``<mask>`` is a mask."""
        parts = [example.texts[0].split(MASK) for example in examples]
        encodings = iter(self.reading.encoder.encode_batch([part for text in parts for part in text]))
        rows = []
        for text in parts:
            ids = [next(encodings).ids for _ in text]
            mask = np.array([self.mask], np.int32)
            joined = [piece for i, one in enumerate(ids) for piece in ((mask, one) if i else (one,))]
            rows.append(EncodedRow((np.concatenate(joined).astype(np.int32),)))
        return rows

    def windows(self, length: int, room: int) -> list[tuple[int, int]]:
        if self.corpus.stride is not None:
            return super().windows(length, room)
        room = max(room, 1)
        return [(start, min(start + room, length)) for start in range(0, max(length, 1), room)]

    def units(self, row: EncodedRow, windows: Sequence[tuple[int, int]], number: int, at: int) -> NDArray[np.int64]:
        start, end = windows[number]
        return np.flatnonzero(row.texts[0][start:end] == self.mask).astype(np.int64) + at

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        raise NotImplementedError("the targets are the tokens that `masked` hides")

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

    def reduce(self, outputs: Tensor, target: Mapping[str, Tensor] | None) -> Tensor:
        """With targets [U, 2]: negative log-likelihood in nats, and whether the guess is right. Without [U, 2k]: the k
        best log-probabilities and their ids."""
        shares = outputs.float().log_softmax(-1)
        if target is None:
            best = shares.topk(min(FILLS, shares.shape[-1]), dim=-1)
            return torch.cat([best.values, best.indices.float()], dim=-1)
        classes = target["classes"]
        right = (shares.argmax(-1) == classes).float()
        return torch.stack([-shares.gather(-1, classes[:, None])[:, 0], right], dim=-1)

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> FillPrediction:
        symbols = self.reading.encoder.vocabulary.symbols
        fills = []
        for unit in outputs.tolist():
            half = len(unit) // 2
            shares = torch.tensor(unit[:half]).exp().tolist()
            fills.append({symbols[int(i)]: share for i, share in zip(unit[half:], shares, strict=True)})
        return FillPrediction(fills)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[MaskedAnswer, int]:
        """The answer, and the number of hidden tokens."""
        return MaskedAnswer(float(outputs[:, 0].double().sum()), int(outputs[:, 1].sum())), len(outputs)
