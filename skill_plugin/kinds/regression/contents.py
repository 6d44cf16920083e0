"""Which scores rows have."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from skill_plugin.checking.contents import Contents
from skill_plugin.readers import Example


@dataclass(frozen=True)
class Scores(Contents):
    """The scores that are known."""

    rows: int
    minimum: float
    mean: float
    maximum: float

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Scores | None:
        """None where no score is known."""
        scores = array("d", (cast("float", example.answer) for example in examples if example.answer is not None))
        if not scores:
            return None
        mean = math.fsum(score / len(scores) for score in scores)  # the sum of the largest numbers is no number
        return cls(len(scores), min(scores), mean, max(scores))

    def summary(self) -> str:
        return f"score {self.minimum:.4g} to {self.maximum:.4g}, mean {self.mean:.4g}"
