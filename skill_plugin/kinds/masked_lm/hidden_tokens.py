"""Raw text, some of whose tokens are hidden and to be guessed, whatever hides them.

Axes: U hidden tokens, V pieces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from skill_plugin.kinds.items import Target
from skill_plugin.kinds.masked_lm.metric import MaskedAnswer
from skill_plugin.kinds.windowed import WindowedItems
from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.vocabulary import MASK

FILLS = 5  # pieces that a prediction names for a mask


class HiddenTokenItems(WindowedItems):
    """Units are the tokens to be guessed; outputs are logits [U, V].

    Attributes:
        mask: the id of what a person writes ``<mask>``.
    """

    unit_targets = ("classes",)
    mask: int

    def encode(self, examples: Sequence[Example]) -> list[EncodedRow]:
        """As other texts, but what is written ``<mask>`` is a mask."""
        parts = [example.texts[0].split(MASK) for example in examples]
        encodings = iter(self.reading.encoder.encode_batch([part for text in parts for part in text]))
        rows = []
        for text in parts:
            ids = [np.append(next(encodings).ids, np.int32(self.mask)) for _ in text]
            rows.append(EncodedRow((np.concatenate(ids)[:-1].astype(np.int32),)))  # a mask between parts only
        return rows

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        raise NotImplementedError("the targets are the tokens that `masked` hides")

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

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[MaskedAnswer, int]:
        """The answer, and the number of hidden tokens."""
        return MaskedAnswer(float(outputs[:, 0].double().sum()), int(outputs[:, 1].sum())), len(outputs)
