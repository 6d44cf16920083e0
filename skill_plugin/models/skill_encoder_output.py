"""What a forward pass gives the criterion."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores


class SkillEncoderOutput(NamedTuple):
    """A tuple, so that ``pytorch_ddp`` finds the tensors in it.

    Attributes:
        answers: for each segment its head's outputs.
        balance: what the experts' balance costs, weighted, to be added to the mean over segments; None where it is off.
        magnification: by how much noise was multiplied; None where there was none.
    """

    answers: list[Tensor | TokenScores]
    balance: Tensor | None = None
    magnification: Tensor | None = None
