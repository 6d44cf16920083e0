"""What the loss of an update is the mean of."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from skill_plugin.nn.on_device import on_device
from skill_plugin.objectives.family import Family, UnitLosses
from skill_plugin.objectives.loss_scaling import scaled_losses, segment_loss
from skill_plugin.objectives.ragged_rows import ragged_means

LOSS_AVERAGES = ("corpus", "example")


def weigh_segment(
    losses: UnitLosses, scaling: str, average: str, family: Family, units: Sequence[int]
) -> tuple[Tensor, int]:
    """The loss and the weight of a segment; the loss of an update is the sum of these losses over that of the weights.

    ``corpus``: the segment's own mean, with weight 1. Each draw of a corpus weighs the same, however many examples it
    holds: the gradients of heterogeneous batches (MT-TaG, section 3.3), and up to a factor the sum over tasks that
    CA-MTL minimises (equation 3.1).

    ``example``: the sum of its examples' losses, each the mean over the example's units, with the number of examples as
    weight. The loss of an update is then the mean over its data points, each scaled by itself (SkillNet-X, equation 8),
    however these are divided among segments, packs, ranks and micro-batches. An example without a unit (no token
    hidden, no relevant candidate, no word with a known tag) counts for nothing.

    Args:
        losses: losses of the segment's units.
        scaling: one of ``LOSS_SCALINGS``.
        average: one of ``LOSS_AVERAGES``.
        family: family of the corpus's answers.
        units: number of units of each of its examples.

    Returns:
        A scalar, float32, and its weight.

    Raises:
        ValueError: an unknown average or scaling.
    """
    if average not in LOSS_AVERAGES:
        raise ValueError(f"unknown loss average {average!r}, expected one of: {', '.join(LOSS_AVERAGES)}")
    if average == "corpus":
        return segment_loss(losses, scaling), 1
    values = scaled_losses(losses, scaling)
    if not family.many_units:
        return values.sum(), len(values)
    sizes = on_device(torch.tensor([number for number in units if number], dtype=torch.int64), values.device)
    means = ragged_means(values if losses.known is None else values.where(losses.known, 0.0), sizes)
    if losses.known is None:
        return means.sum(), len(means)
    known = ragged_means(losses.known.float(), sizes)  # shares of the examples' units
    return (means / known.where(known > 0, 1.0)).sum(), int((known > 0).sum())
