"""One number for one or two texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.kinds.items import CorpusReading, Target, Told
from skill_plugin.kinds.regression.answer import ScorePrediction
from skill_plugin.kinds.regression.keys import RegressionKeys
from skill_plugin.kinds.single import SingleItems
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow


class RegressionItems(SingleItems):
    """The output [1, 1] is a score (MT-TaG, equation 8).

    ``normalised``: on [-1, 1] for the corpus's range, whatever it is: a fresh head begins in its middle, and corpora
    with ranges of 1 and of 100 learn alike. ``raw``: as it stands in the data, as in the paper.

    What is shown to a person lies within the range. A metric gets the score as the model gives it, since clipping would
    tie the best ones with one another, and the worst, in a rank correlation.

    Raises:
        InputError: the range is neither in the corpora file nor known from the data.
    """

    def __init__(self, reading: CorpusReading) -> None:
        super().__init__(reading)
        if "score_range" not in reading.facts:
            message = f"corpus {self.corpus.name!r} needs a score_range, since its scores are not known here"
            raise InputError(message, self.corpus.file, self.corpus.line)
        self.lowest, self.highest = reading.facts["score_range"]
        raw = RegressionKeys.of(self.corpus).score_scale == "raw"
        self.unit = 1.0 if raw else (self.highest - self.lowest) / 2 or 1.0
        self.zero = 0.0 if raw else self.lowest + self.unit

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        assert row.score is not None
        return {"scores": np.array([(row.score - self.zero) / self.unit], np.float32)}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> ScorePrediction:
        score = self._score(outputs)
        return ScorePrediction(min(max(score, self.lowest), self.highest), score)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[float, float]:
        assert row.score is not None
        return self._score(outputs), row.score

    def tell(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Told:
        answer, right = self.score(outputs, row, sequences, example)
        return Told(f"{answer:.4g}", f"{right:.4g}")

    def _score(self, outputs: Tensor) -> float:
        return float(outputs[0, 0]) * self.unit + self.zero
