"""The encoder of CA-MTL: what lies outside the layers' slots."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor

from skill_plugin.nn.conditional.alignment import ConditionalAlignment
from skill_plugin.nn.conditional.bottleneck import SkipPath
from skill_plugin.nn.conditional.conditioned_batch import ConditionedBatch
from skill_plugin.nn.conditional.task_embeddings import TaskEmbeddings
from skill_plugin.nn.embeddings import EmbeddingOutput, Embeddings
from skill_plugin.nn.encoder import Encoder, EncoderOutput
from skill_plugin.nn.encoder_layer import EncoderLayer
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

    def __init__(
        self,
        embeddings: Embeddings,
        layers: Iterable[EncoderLayer],
        task_embeddings: TaskEmbeddings,
        alignment: ConditionalAlignment | None = None,
        skip_path: SkipPath | None = None,
    ) -> None:
        super().__init__(embeddings, layers)
        self.task_embeddings = task_embeddings
        self.alignment, self.skip_path = alignment, skip_path

    def forward(self, batch: PackedBatch, noise: Noise | None = None) -> EncoderOutput:
        """Hidden states of a pack, with noise on its embeddings. No layer has experts."""
        conditioned = self._conditioned(batch)
        x, magnification = self.first_layer_input(conditioned, noise)
        carried: Tensor | None = None
        for index, layer in enumerate(self.layers):
            x, _ = layer(x, conditioned)
            if self.skip_path is not None:
                carried = self.skip_path.step(index, x, carried, conditioned.condition)
        return EncoderOutput(x if carried is None else x + carried, magnification=magnification)

    def first_layer_input(self, batch: PackedBatch, noise: Noise | None = None) -> EmbeddingOutput:
        """What the lowest layer reads, aligned."""
        embedded = super().first_layer_input(batch, noise)
        if self.alignment is None:
            return embedded
        aligned = self.alignment(embedded.hidden, self._conditioned(batch).condition)
        return embedded._replace(hidden=aligned)

    def _conditioned(self, batch: PackedBatch) -> ConditionedBatch:
        if isinstance(batch, ConditionedBatch):
            return batch
        return ConditionedBatch(**batch.as_keywords(), condition=self.task_embeddings(batch))
