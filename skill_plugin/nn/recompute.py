"""A layer whose activations are not kept for the backward pass, which computes them once more (Chen et al., 2016)."""

from __future__ import annotations

from typing import Any, cast

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from skill_plugin.nn.dropout import current_copies, share_masks
from skill_plugin.nn.layer_output import LayerOutput


def recompute(layer: nn.Module, x: Tensor, batch: Any) -> LayerOutput:
    """What the layer gives, bit by bit, and its gradients: of the layer only ``x`` is kept.

    Dropout and noise draw the same numbers again, and of copies of a pack the same elements are dropped.

    Args:
        layer: maps (x [N, D], batch) to a ``LayerOutput``.
        x: hidden states [N, D].
        batch: the pack, or whatever else the layer reads beside x.
    """
    copies = current_copies()

    def run(x: Tensor) -> LayerOutput:
        with share_masks(copies):  # the backward pass comes when the forward pass has left it
            return cast(LayerOutput, layer(x, batch))

    return cast(LayerOutput, checkpoint(run, x, use_reentrant=False))
