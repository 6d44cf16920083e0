"""Any number of labels for one to three texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from skill_plugin.kinds.items import CorpusReading, Target, Told
from skill_plugin.kinds.multilabel.answer import LabelsPrediction
from skill_plugin.kinds.single import SingleItems
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow


class MultilabelItems(SingleItems):
    """Outputs are logits [1, C], each label's own; a label is given when its probability is above its threshold, which
    is one half unless another was chosen."""

    def __init__(self, reading: CorpusReading) -> None:
        super().__init__(reading)
        thresholds = torch.tensor(reading.calibration.thresholds or [0.5] * len(reading.labels), dtype=torch.float64)
        self.cuts = thresholds.logit()

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        labels = np.zeros((1, len(self.reading.labels)), np.float32)
        labels[0, row.arrays["label"]] = 1
        return {"labels": labels}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> LabelsPrediction:
        shares = dict(zip(self.reading.labels, self.family.probabilities(outputs)[0].tolist(), strict=True))
        return LabelsPrediction([self.reading.labels[i] for i in self._given(outputs)], shares)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[list[int], list[int]]:
        return self._given(outputs), row.arrays["label"].tolist()

    def tell(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Told:
        answer, right = self.score(outputs, row, sequences, example)
        given, true = (", ".join(self.reading.labels[i] for i in ids) or "(none)" for ids in (answer, right))
        return Told(given, true, set(answer) != set(right))

    def _given(self, outputs: Tensor) -> list[int]:
        """Ids of the labels with a probability above their threshold, from logits [1, C]."""
        return torch.nonzero(outputs[0] > self.cuts)[:, 0].tolist()
