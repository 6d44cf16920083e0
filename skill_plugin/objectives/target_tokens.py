"""Texts that a decoder learns to write, token by token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.categorical import Categorical
from skill_plugin.objectives.family import UnitLosses


@dataclass(frozen=True)
class TargetTokens(Categorical):
    """Units are the tokens of the right answers' texts; outputs are logits [U, V], targets ``classes`` [U] int64.

    This is what is learned. What is answered is a choice between the texts of all answers, in the family of the kind.

    Attributes:
        choices: C, answers that there are, by whose logarithm ``log-classes`` divides (thesis, section 3.4): a
            text of two tokens is no harder a choice than one of one.
    """

    many_units: bool = True
    choices: int = 0

    def losses(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
        """Cross-entropy of each token."""
        return super().losses(outputs, target)._replace(classes=self.choices)
