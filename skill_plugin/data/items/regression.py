"""One number for one or two texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from skill_plugin.data.items.items import Reading, Target
from skill_plugin.data.items.single import SingleItems
from skill_plugin.data.predictions import ScorePrediction
from skill_plugin.errors import InputError
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow


class RegressionItems(SingleItems):
    """The output [1, 1] is a score on [-1, 1] (MT-TaG, equation 8), whatever the corpus's range: a fresh head begins
    in its middle, and corpora with ranges of 1 and of 100 learn alike.

    Raises:
        InputError: the range is neither in the corpora file nor known from the data.
    """

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        if "score_range" not in reading.facts:
            message = f"corpus {self.corpus.name!r} needs a score_range, since its scores are not known here"
            raise InputError(message, self.corpus.file, self.corpus.line)
        self.lowest, self.highest = reading.facts["score_range"]
        self.half = (self.highest - self.lowest) / 2 or 1.0

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        assert row.score is not None
        return {"scores": np.array([(row.score - self.lowest) / self.half - 1], np.float32)}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> ScorePrediction:
        return ScorePrediction(self._score(outputs))

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[float, float]:
        assert row.score is not None
        return self._score(outputs), row.score

    def _score(self, outputs: Tensor) -> float:
        return min(max((float(outputs[0, 0]) + 1) * self.half + self.lowest, self.lowest), self.highest)
