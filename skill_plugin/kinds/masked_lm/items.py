"""Raw text, some of whose tokens are hidden and to be guessed (SkillNet-X, section 3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.kinds.items import CorpusReading, Target
from skill_plugin.kinds.masked_lm.answer import FillPrediction
from skill_plugin.kinds.masked_lm.metric import MaskedAnswer
from skill_plugin.kinds.windowed import WindowedItems, Windows, divide_tokens
from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.masking import mask_tokens
from skill_plugin.text.vocabulary import MASK, SPECIALS

FILLS = 5  # pieces that a prediction names for a mask


class MaskedLmItems(WindowedItems):
    """Units are the hidden tokens, others in every epoch, or a text's own masks; outputs are logits [U, V].

    Raises:
        InputError: the vocabulary has no mask.
    """

    unit_targets = ("classes",)

    def __init__(self, reading: CorpusReading) -> None:
        super().__init__(reading)
        vocabulary = reading.encoder.vocabulary
        if vocabulary.mask is None:
            raise InputError(f"corpus {self.corpus.name!r} needs a mask, which the encoder's vocabulary lacks")
        self.mask = vocabulary.mask
        self.ordinary = (len(SPECIALS), len(vocabulary))

    def encode(self, examples: Sequence[Example]) -> list[EncodedRow]:
        """As other texts, but what is written ``<mask>`` is a mask."""
        parts = [example.texts[0].split(MASK) for example in examples]
        encodings = iter(self.reading.encoder.encode_batch([part for text in parts for part in text]))
        rows = []
        for text in parts:
            ids = [np.append(next(encodings).ids, np.int32(self.mask)) for _ in text]
            rows.append(EncodedRow((np.concatenate(ids)[:-1].astype(np.int32),)))  # a mask between parts only
        return rows

    def tokens_read(self, row: EncodedRow, windows: Windows, numbers: range) -> list[NDArray[np.int64]]:
        masks = np.flatnonzero(row.texts[0] == self.mask).astype(np.int64)
        bounds = divide_tokens(masks, len(row.texts[0]), windows).tolist()
        return [masks[bounds[number] : bounds[number + 1]] for number in numbers]

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

    def reduce(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor] | None) -> Tensor:
        """With targets [U, 2]: negative log-likelihood in nats, and whether the guess is right. Without [U, 2k]: the k
        best log-probabilities and their ids."""
        if isinstance(outputs, TokenScores):
            return torch.stack([outputs.losses, outputs.right.float()], dim=-1)
        logits = outputs.float()
        total = logits.logsumexp(-1, keepdim=True)  # less memory than the softmax of a large vocabulary
        if target is None:
            best = logits.topk(min(FILLS, logits.shape[-1]), dim=-1)
            return torch.cat([best.values - total, best.indices.float()], dim=-1)
        classes = target["classes"][:, None]
        right = logits.argmax(-1, keepdim=True) == classes
        return torch.cat([total - logits.gather(-1, classes), right.float()], dim=-1)

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

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[MaskedAnswer, int]:
        """The answer, and the number of hidden tokens."""
        return MaskedAnswer(float(outputs[:, 0].double().sum()), int(outputs[:, 1].sum())), len(outputs)
