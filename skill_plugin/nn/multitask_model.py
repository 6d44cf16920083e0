"""An encoder with a head for every corpus (corpora that name the same head share it)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from skill_plugin.nn.dropout import share_masks
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.graphs.encoder_graphs import EncoderGraphs
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.heads.states_at import side_by_side
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

    Attributes:
        graphs: what runs the encoder by CUDA graphs, where that is wished; None otherwise.

    Args:
        encoder: hidden states of a pack.
        heads: the heads by name; each maps (hidden [N, D], units [U] or [U, 3]) to its outputs, ``MaskedLmHead`` with
            the encoder's embedding table as the third argument.
    """

    def __init__(self, encoder: Encoder, heads: Mapping[str, nn.Module]) -> None:
        super().__init__()
        self.encoder = encoder
        self.heads = nn.ModuleDict(heads)
        self.graphs: EncoderGraphs | None = None

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
            encoded = (self.graphs or self.encoder)(batch, options.noise)
            segments = len(batch.segments) // batch.copies
            of_segments = [
                self._answer(self.heads[segment.head], states, batch.copies, right)
                for segment, states, right in zip(
                    batch.segments[:segments],
                    _states_of_segments(encoded.hidden, [batch.units[i::segments] for i in range(segments)]),
                    classes or [None] * segments,
                    strict=True,
                )
            ]
        answers = [copies[number] for number in range(batch.copies) for copies in of_segments]
        return MultitaskOutput(answers, encoded.routings, encoded.magnification)

    def _answer(
        self, head: nn.Module, states: Tensor, copies: int, classes: Tensor | None
    ) -> Sequence[Tensor | TokenScores]:
        """Outputs of a segment and of its copies; ``states`` holds what the head reads of them, one after the other."""
        if isinstance(head, MaskedLmHead):
            out = head(states, None, self.encoder.get_parameter("embeddings.tokens.weight"), classes)
        else:
            out = head(states)
        return out.unflatten(0, (copies, len(states) // copies)) if copies > 1 else [out]


def _states_of_segments(hidden: Tensor, units: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    """What the heads read of each segment, gathered for all segments at once.

    Args:
        hidden: [N, D].
        units: of each segment the units of its copies, [U] or [U, tokens] each.

    Returns:
        For each segment [copies U, tokens D].
    """
    positions = [copy.flatten() for copies in units for copy in copies]
    rows = hidden.index_select(0, torch.cat(positions) if len(positions) > 1 else positions[0])
    parts = rows.split([sum(copy.numel() for copy in copies) for copies in units])
    return [side_by_side(part, copies[0]) for part, copies in zip(parts, units, strict=True)]
