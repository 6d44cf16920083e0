"""What was found out on held-out data of how the outputs of a trained head become answers."""

from __future__ import annotations

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


PLAIN = Calibration()
