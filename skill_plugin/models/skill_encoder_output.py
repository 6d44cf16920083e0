"""What a forward pass gives the criterion."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores


class SkillEncoderOutput(NamedTuple):
    """A tuple, so that ``pytorch_ddp`` finds the tensors in it.

    Attributes:
        answers: outputs of each segment's head.
        balance: what the experts' balance costs, weighted, to be added to the mean over segments; None where it is off.
        magnification: the factor that noise was multiplied by; None where there was no noise.
    """

    answers: list[Tensor | TokenScores]
    balance: Tensor | None = None
    magnification: Tensor | None = None
