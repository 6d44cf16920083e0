"""From a head's outputs and what was right to the loss of each unit, for every kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.classification import IGNORED, classification_losses
from skill_plugin.objectives.multilabel import multilabel_losses
from skill_plugin.objectives.ranking import graded_losses, listwise_losses, pointwise_losses
from skill_plugin.objectives.regression import regression_losses
from skill_plugin.objectives.span import span_losses

# an example of these kinds has any number of units, each with a loss; of the others one unit, or one loss for all
MANY_UNITS = frozenset({"labelling", "masked_lm"})


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


def unit_losses(kind: str, loss: str, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
    """The losses of one segment.

    Args:
        kind: what the corpus asks for.
        loss: of ``ranking``, ``pointwise``, ``listwise`` or ``graded``; other kinds do not look at it.
        outputs: of the segment's head; of ``masked_lm`` logits, or the scores of the right pieces.
        target: by kind ``labels`` [U, C] (multilabel); ``scores`` [U] (regression); ``relevance`` [U] and ``sizes`` [Q]
            (ranking); ``sizes``, ``starts`` and ``ends`` [S] (span); ``classes`` [U] (all others).

    Raises:
        ValueError: an unknown kind, or an unknown loss of ``ranking``.
    """
    if isinstance(outputs, TokenScores):
        return UnitLosses(outputs.losses, outputs.vocabulary)
    match kind, loss:
        case (("classification" | "labelling" | "word_in_context" | "next_sentence" | "masked_lm"), _):
            losses = classification_losses(outputs, target["classes"])
            return UnitLosses(losses, outputs.shape[1], known_units(kind, target))
        case "multilabel", _:
            return UnitLosses(multilabel_losses(outputs, target["labels"]), 2)  # each label is a choice between two
        case "regression", _:
            return UnitLosses(regression_losses(outputs, target["scores"]), None)
        case "ranking", "pointwise":
            return UnitLosses(pointwise_losses(outputs, target["relevance"], target["sizes"]), 2)
        case "ranking", "graded":
            return UnitLosses(graded_losses(outputs, target["relevance"], target["sizes"]), outputs.shape[1])
        case "ranking", "listwise":
            return UnitLosses(*listwise_losses(outputs, target["relevance"], target["sizes"]))
        case "span", _:
            return UnitLosses(span_losses(outputs, target["sizes"], target["starts"], target["ends"]), None)
    raise ValueError(f"unknown kind {kind!r}, or unknown loss {loss!r} for it")


def known_units(kind: str, target: Mapping[str, Tensor]) -> Tensor | None:
    """``UnitLosses.known`` of a segment, its arguments as for ``unit_losses``."""
    return target["classes"] != IGNORED if kind == "labelling" else None
