"""What every family of answers must give: how losses, divergences, entropies and probabilities follow from outputs.

A family says what a head's outputs stand for: a distribution over classes, labels by themselves, a score, an order of
candidates, a place. Kinds whose answers are of one family share it, so that what is learned, how unsure a model is, how
much noise changes it and what a person is shown agree on what an output means.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.emphasis import Emphasis


class UnitLosses(NamedTuple):
    """What a segment's loss is the mean of.

    Attributes:
        values: float32 [U]: a loss for each text, word, masked piece, query or window; may be empty.
        classes: C, by whose logarithm ``log-classes`` divides: one number for all units, one for each [U], or None
            where it never does.
        known: bool [U], which units count; None for all. A word whose tag no class stands for has no loss.
    """

    values: Tensor
    classes: int | Tensor | None
    known: Tensor | None = None

    @property
    def any_known(self) -> Tensor:
        """1 where a unit counts, else 0: a scalar on the losses' device, float64."""
        counted = self.values.new_full((), len(self.values) > 0) if self.known is None else self.known.any()
        return counted.double()


def segments_with_loss(losses: Sequence[UnitLosses]) -> Tensor:
    """``any_known`` of each segment: [segments] float64."""
    if all(one.known is None and len(one.values) for one in losses):
        return losses[0].values.new_ones(len(losses), dtype=torch.float64)
    return torch.stack([one.any_known for one in losses])


class Entropies(NamedTuple):
    """How unsure outputs are of E examples (CA-MTL, equation 3.4), float32, in nats.

    Attributes:
        values: H [E].
        greatest: H' = log C [E], what H is under a uniform distribution; 0 where there is no choice.
    """

    values: Tensor
    greatest: Tensor


class Confidences(NamedTuple):
    """How sure answers are, and whether they are right.

    Attributes:
        values: the probability that each answer has [A], float32.
        right: [A], bool.
    """

    values: Tensor
    right: Tensor


class Family(ABC):
    """A family of answers.

    Outputs are those of a segment's head [U, K], in any float type; what is computed of them is float32.

    Attributes:
        many_units: whether an example has any number of units, each with a loss; in other families it has one unit, or
            one loss for all of them.
    """

    many_units: bool = False

    @abstractmethod
    def losses(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
        """The losses of a segment, and of how many classes each is.

        Args:
            outputs: outputs of its head; for a choice of classes, logits or the scores of the right classes.
            target: what is right, under the names that the family knows.
        """

    def learned_losses(
        self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor], emphasis: Emphasis
    ) -> UnitLosses:
        """``losses`` as training sees them where labels have weights, or the truth is smoothed.

        Args:
            outputs, target: as for ``losses``.
            emphasis: weights as ``weigh_labels`` gives them, on the outputs' device.
        """
        raise NotImplementedError(f"{type(self).__name__} has no labels")

    def weigh_labels(self, counts: NDArray[np.int64], units: int, factors: NDArray[np.float64] | None) -> Tensor:
        """The weights of C labels in ``learned_losses``, float32, see ``weigh_outcomes``.

        Args:
            counts: how often each label occurs in what is trained on [C].
            units: how many units that is.
            factors: how many times as much each label counts as it would [C]; None for ``balanced``.

        Raises:
            ValueError: no label that occurs counts anything.
        """
        raise NotImplementedError(f"{type(self).__name__} has no labels")

    def confidences(self, outputs: Tensor, target: Mapping[str, Tensor]) -> Confidences:
        """Of each answer whose truth is known, for kinds that are ``calibrated``.

        Args:
            outputs, target: as for ``losses``.
        """
        raise NotImplementedError(f"{type(self).__name__} has no labels")

    def log_likelihood(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> Tensor:
        """log p of what is right, summed over all that the outputs answer: a scalar, but for a constant.

        A loss is its negative where it is not a mean over several choices of one unit.

        Args:
            outputs, target: as for ``losses``.
        """
        return -self.losses(outputs, target).values.sum()

    @abstractmethod
    def divergences(self, clean: Tensor, noisy: Tensor, target: Mapping[str, Tensor]) -> Tensor:
        """How far two sets of outputs are apart: R3F's penalty of each unit.

        Outputs stand for a distribution, the one whose negative log-likelihood is the loss, and this is the symmetric
        divergence KL(p || q) + KL(q || p) of the two.

        Args:
            clean, noisy: outputs of a segment's head, without and with noise.
            target: as for ``losses``.

        Returns:
            [U] float32, at least 0, of the units of ``losses``, in their order.
        """

    @abstractmethod
    def entropies(self, outputs: Tensor, units: Sequence[int]) -> Entropies:
        """How unsure the outputs are of each example of a segment.

        CA-MTL says nothing of examples that are not one choice between classes. They follow their loss: where it is a
        mean over several choices, so is the entropy, and the most that it can be is that of one choice.

        Args:
            outputs: outputs of its head.
            units: number of units of each example; they add up to U.
        """

    @abstractmethod
    def probabilities(self, outputs: Tensor, units: Sequence[int] | None = None) -> Tensor:
        """What the outputs say of each class, label, candidate or place: [U, K] float32, from 0 to 1.

        Args:
            outputs: outputs of a head.
            units: number of units of each example; by default all belong to one example.
        """
