"""The encoder of CA-MTL: what lies outside the layers' slots."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor

from skill_plugin.nn.conditional.alignment import ConditionalAlignment, SeparateAlignment
from skill_plugin.nn.conditional.bottleneck import SkipPath
from skill_plugin.nn.conditional.condition import condition_tokens
from skill_plugin.nn.conditional.conditioned_batch import ConditionedBatch
from skill_plugin.nn.conditional.task_embeddings import TaskEmbeddings
from skill_plugin.nn.embeddings import Embeddings
from skill_plugin.nn.encoder import Encoder, LayersInput
from skill_plugin.nn.encoder_layer import EncoderLayer
from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.noise import Noise
from skill_plugin.nn.packed_batch import PackedBatch


class ConditionalEncoder(Encoder):
    """An encoder whose modules read task embeddings (figure 3.1).

    Args:
        embeddings, layers: as for ``Encoder``; their slots may be conditional.
        task_embeddings: z of every corpus.
        alignment: between the embeddings and the first layer, or None.
        skip_path: beside all layers, or None. What it carries past the last layer is added to that layer's output: the
            published code reads the path alone, which would lose the pretrained encoder.
    """

    BELOW_LAYERS = ("embeddings", "task_embeddings", "alignment")

    def __init__(
        self,
        embeddings: Embeddings,
        layers: Iterable[EncoderLayer],
        task_embeddings: TaskEmbeddings,
        alignment: ConditionalAlignment | SeparateAlignment | None = None,
        skip_path: SkipPath | None = None,
    ) -> None:
        super().__init__(embeddings, layers)
        self.task_embeddings = task_embeddings
        self.alignment, self.skip_path = alignment, skip_path

    def below_layers(self, batch: PackedBatch, noise: Noise | None = None) -> LayersInput:
        """What the lowest layer reads, aligned, and the task embeddings."""
        below, z = super().below_layers(batch, noise), self.task_embeddings(batch)
        if self.alignment is None:
            return below._replace(z=z)
        if isinstance(self.alignment, SeparateAlignment):
            return below._replace(hidden=self.alignment(below.hidden, batch), z=z)
        return below._replace(hidden=self.alignment(below.hidden, condition_tokens(z, batch)), z=z)

    def run_layers(self, x: Tensor, batch: PackedBatch, z: Tensor | None = None) -> tuple[Tensor, tuple[Routing, ...]]:
        """As of every encoder; no layer has experts."""
        assert z is not None
        conditioned = ConditionedBatch.of(batch, condition_tokens(z, batch))
        carried: Tensor | None = None
        for index, layer in enumerate(self.layers):
            x, _ = self.run_layer(layer, x, conditioned)
            if self.skip_path is not None:
                carried = self.skip_path.step(index, x, carried, conditioned.condition)
        return x if carried is None else x + carried, ()
