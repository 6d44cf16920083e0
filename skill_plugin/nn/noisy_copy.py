"""A pack twice, and noise on the embeddings of its second half, for one forward pass."""

from __future__ import annotations

from dataclasses import replace

import torch.nn.functional as F
from torch import Tensor

from skill_plugin.nn.noise import Noise
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.pass_options import PassOptions


def with_noisy_copy(
    batch: PackedBatch, values: Tensor, deviation: float, same_dropout: bool = True
) -> tuple[PackedBatch, PassOptions]:
    """The pack with a copy behind it, and the pass that adds noise to the copy.

    The model answers the K segments, then their K copies.

    Where both are dropped the same elements, their answers differ by the noise alone. With masks of their own they
    differ by these too, and by far more than by a magnified noise: noise is then added as it is.

    Args:
        batch: N tokens.
        values: the noise [N, D], float32.
        deviation: standard deviation of the distribution that they are drawn from.
        same_dropout: whether dropout takes the same elements of both.
    """
    n = len(batch.tokens)
    doubled = PackedBatch(
        tokens=batch.tokens.repeat(2),
        positions=batch.positions.repeat(2),
        token_types=None if batch.token_types is None else batch.token_types.repeat(2),
        lengths=[*batch.lengths, *batch.lengths],
        segments=[*batch.segments, *(replace(s, start=s.start + n, end=s.end + n) for s in batch.segments)],
        units=[*batch.units, *(units + n for units in batch.units)],
        copies=2,
        targets=None if batch.targets is None else batch.targets.twice(),
    )
    return doubled, PassOptions(Noise(F.pad(values, (0, 0, n, 0)), deviation, magnified=same_dropout), same_dropout)
