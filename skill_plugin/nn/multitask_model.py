"""An encoder with a head for every corpus (corpora that name the same head share it)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from skill_plugin.nn.dropout import share_masks
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.pass_options import PLAIN, PassOptions


class MultitaskOutput(NamedTuple):
    """Answers, and what the encoder tells of itself.

    Attributes:
        answers: outputs of each segment's head, e.g. logits [U, C]; ``TokenScores`` where masked pieces are given.
        routings, magnification: as in ``EncoderOutput``.
    """

    answers: list[Tensor | TokenScores]
    routings: tuple[Routing, ...]
    magnification: Tensor | None


class MultitaskModel(nn.Module):
    """One forward pass answers all segments of a pack.

    Args:
        encoder: hidden states of a pack.
        heads: the heads by name; each maps (hidden [N, D], units [U] or [U, 3]) to its outputs, ``MaskedLmHead`` with
            the encoder's embedding table as the third argument.
    """

    def __init__(self, encoder: Encoder, heads: Mapping[str, nn.Module]) -> None:
        super().__init__()
        self.encoder = encoder
        self.heads = nn.ModuleDict(heads)

    def forward(
        self, batch: PackedBatch, options: PassOptions = PLAIN, classes: Sequence[Tensor | None] | None = None
    ) -> MultitaskOutput:
        """The answers to a pack.

        Args:
            batch: a pack.
            options: what this pass does otherwise than a plain one.
            classes: for each segment the right pieces of its masked tokens [U], int64, where only how they are scored
                is asked for; other heads do not look at them. None where there are copies.
        """
        with share_masks(batch.copies if options.same_dropout else 1):
            encoded = self.encoder(batch, options.noise)
            segments = len(batch.segments) // batch.copies
            of_segments = [
                self._answer(
                    self.heads[segment.head],
                    encoded.hidden,
                    batch.units[number::segments],
                    None if classes is None else classes[number],
                )
                for number, segment in enumerate(batch.segments[:segments])
            ]
        answers = [copies[number] for number in range(batch.copies) for copies in of_segments]
        return MultitaskOutput(answers, encoded.routings, encoded.magnification)

    def _answer(
        self, head: nn.Module, hidden: Tensor, units: Sequence[Tensor], classes: Tensor | None
    ) -> Sequence[Tensor | TokenScores]:
        """Outputs of a segment and of its copies; ``units`` holds the units [U] of each."""
        copies = len(units)
        flat = torch.cat(list(units)) if copies > 1 else units[0]
        if isinstance(head, MaskedLmHead):
            out = head(hidden, flat, self.encoder.get_parameter("embeddings.tokens.weight"), classes)
        else:
            out = head(hidden, flat)
        return out.unflatten(0, (copies, len(units[0]))) if copies > 1 else [out]
