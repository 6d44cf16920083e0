"""What a layer gives the next one, and what it tells of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from torch import Tensor

if TYPE_CHECKING:
    from skill_plugin.nn.experts.routing import Routing  # experts give a LayerOutput themselves


class LayerOutput(NamedTuple):
    """Output of a layer, or of the feed-forward network in it where that has something to tell.

    Attributes:
        hidden: hidden states [N, D].
        routing: how it routed the tokens; None for a layer without experts.
    """

    hidden: Tensor
    routing: Routing | None = None
