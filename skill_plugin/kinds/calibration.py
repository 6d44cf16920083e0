"""What was found out on held-out data of how the outputs of a trained head become answers."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Calibration:
    """How the outputs for one corpus become answers.

    Attributes:
        temperature: what logits are divided by (Guo et al., 2017); the likeliest label stays the likeliest.
        thresholds: above which an answer is given, of kinds that have some (``Kind.threshold_search``); empty for those
            of the kind or of the corpora file.
    """

    temperature: float = 1.0
    thresholds: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not (self.temperature > 0 and math.isfinite(self.temperature)):
            raise ValueError(f"a temperature is a number above 0, not {self.temperature}")


PLAIN = Calibration()
