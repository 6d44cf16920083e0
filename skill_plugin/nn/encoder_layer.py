"""One Transformer layer: residual wiring around the slots for attention, feed-forward and normalisation."""

from __future__ import annotations

from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout
from skill_plugin.nn.layer_output import LayerOutput
from skill_plugin.nn.packed_batch import PackedBatch


class EncoderLayer(nn.Module):
    """Normalisation after each residual sum, as in BERT, RoBERTa and XLM-R.

    Args:
        attention, feed_forward, attention_norm, feed_forward_norm: modules that map (x [N, D], batch) to [N, D];
            a feed-forward network with experts to a ``LayerOutput``.
        dropout: on the output of attention and of feed-forward, while training.
    """

    def __init__(
        self,
        attention: nn.Module,
        feed_forward: nn.Module,
        attention_norm: nn.Module,
        feed_forward_norm: nn.Module,
        dropout: float,
    ) -> None:
        super().__init__()
        self.attention, self.attention_norm = attention, attention_norm
        self.feed_forward, self.feed_forward_norm = feed_forward, feed_forward_norm
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, batch: PackedBatch) -> LayerOutput:
        """Hidden states [N, D] of this layer, from those of the layer below [N, D]."""
        return self.feed(self.attend(x, batch), batch)

    def attend(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """The lower half: attention, its residual sum and norm, [N, D] -> [N, D]."""
        return self.attention_norm(x + self.dropout(self.attention(x, batch)), batch)

    def feed(self, x: Tensor, batch: PackedBatch) -> LayerOutput:
        """The upper half, in which no token reads another: the feed-forward network, [N, D] -> [N, D]."""
        out = self.feed_forward(x, batch)
        y, routing = out if isinstance(out, LayerOutput) else (out, None)
        return LayerOutput(self.feed_forward_norm(x + self.dropout(y), batch), routing)
