"""The stars that are the likeliest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from skill_plugin.kinds.items import Target
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.kinds.single import SingleItems
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow


@dataclass(frozen=True)
class StarsPrediction(Prediction):
    stars: int

    def to_line(self) -> str:
        return "★" * self.stars


class StarsItems(SingleItems):
    """Outputs are logits [1, most]."""

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        return {"classes": row.arrays["stars"].astype(np.int64) - 1}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> StarsPrediction:
        return StarsPrediction(1 + int(outputs[0].argmax()))

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[int, int]:
        return 1 + int(outputs[0].argmax()), int(row.arrays["stars"][0])
