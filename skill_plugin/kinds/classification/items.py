"""One label for a sequence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.kinds.classification.answer import ClassPrediction
from skill_plugin.kinds.items import Target, Told
from skill_plugin.kinds.single import SingleItems
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow


class ClassificationItems(SingleItems):
    """Outputs are logits [1, C]."""

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        return {"classes": row.arrays["label"].astype(np.int64)}

    def right_answers(self, row: EncodedRow, count: int) -> NDArray[np.int64]:
        return row.arrays["label"].astype(np.int64)

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> ClassPrediction:
        labels, shares = self.reading.labels, self.family.probabilities(outputs)[0].tolist()
        return ClassPrediction(labels[int(outputs[0].argmax())], dict(zip(labels, shares, strict=True)))

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[int, int]:
        return int(outputs[0].argmax()), int(row.arrays["label"][0])

    def tell(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Told:
        answer, right = self.score(outputs, row, sequences, example)
        share = float(self.family.probabilities(outputs)[0, answer])
        return Told(f"{self.reading.labels[answer]} ({share:.0%})", self.reading.labels[right], answer != right)
