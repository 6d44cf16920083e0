"""The conditional bottleneck, and the two places where it may sit."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from skill_plugin.nn.conditional.condition import Condition
from skill_plugin.nn.conditional.conditioned_batch import condition_of
from skill_plugin.nn.conditional.linear import ConditionalLinear
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.initialise import STANDARD_DEVIATION
from skill_plugin.nn.packed_batch import PackedBatch

QUIET = 1e-3  # standard deviation of a quiet bottleneck's upper map: it adds little to what it is added to


class ConditionalBottleneck(nn.Module):
    """CFF_up(gelu(CFF_down(x))): two feed-forward layers, each transformed as in equation 3.2 (section 3.3.1).

    Its inner width is not published: D / 12, 64 for BERT base, is the one of the usual adapters.

    Args:
        width: D.
        quiet: whether a fresh bottleneck gives nearly nothing; otherwise values and gradients stay about as large as
            they were (He et al. 2015).
    """

    def __init__(self, width: int, quiet: bool = True) -> None:
        super().__init__()
        inner = max(1, width // 12)
        self.down = ConditionalLinear(width, width, inner, STANDARD_DEVIATION if quiet else width**-0.5)
        self.up = ConditionalLinear(width, inner, width, QUIET if quiet else (2 / inner) ** 0.5)

    def forward(self, x: Tensor, condition: Condition) -> Tensor:
        """[N, D] -> [N, D]"""
        return self.up(F.gelu(self.down(x, condition)), condition)


class BottleneckFeedForward(FeedForward):
    """FFN(x) + bottleneck(FFN(x)): the base form, below the layer's upper norm (figure 3.3a).

    Args:
        width: D.
        inner: F of the feed-forward network.
    """

    def __init__(self, width: int, inner: int) -> None:
        super().__init__(width, inner)
        self.bottleneck = ConditionalBottleneck(width)

    def forward(self, x: Tensor, batch: PackedBatch | None = None) -> Tensor:
        """[N, D] -> [N, D]"""
        y = super().forward(x)
        return y + self.bottleneck(y, condition_of(batch))


class SkipPath(nn.Module):
    """s_j = bottleneck_j(h_j + s_(j-1)) beside the layers' outputs h_j, from s_0 = 0: the large form (figure 3.3b).

    Only the last s is added to anything, so that only the last bottleneck is quiet. The lower ones get their gradients
    through all that follow: of 24 quiet ones the lower half would get zeros.

    Args:
        width: D.
        layers: number of layers that it runs beside.
    """

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.bottlenecks = nn.ModuleList(
            ConditionalBottleneck(width, quiet=layer == layers - 1) for layer in range(layers)
        )

    def step(self, layer: int, hidden: Tensor, carried: Tensor | None, condition: Condition) -> Tensor:
        """s of a layer [N, D], from its output and from s of the layer below (None: there is none)."""
        return self.bottlenecks[layer](hidden if carried is None else hidden + carried, condition)
