"""The encoder of CA-MTL: what lies outside the layers' slots."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from torch import Tensor, nn

from skill_plugin.nn.conditional.alignment import ConditionalAlignment
from skill_plugin.nn.conditional.bottleneck import SkipPath
from skill_plugin.nn.conditional.condition import given
from skill_plugin.nn.conditional.task_embeddings import TaskEmbeddings
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.encoder_layer import EncoderLayer
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
        embeddings: nn.Module,
        layers: Iterable[EncoderLayer],
        task_embeddings: TaskEmbeddings,
        alignment: ConditionalAlignment | None = None,
        skip_path: SkipPath | None = None,
    ) -> None:
        super().__init__(embeddings, layers)
        self.task_embeddings = task_embeddings
        self.alignment, self.skip_path = alignment, skip_path

    def forward(self, batch: PackedBatch) -> Tensor:
        """Hidden states of the last layer [N, D]."""
        batch = replace(batch, condition=self.task_embeddings(batch))
        condition = given(batch.condition)
        x = self.first_layer_input(batch)
        carried: Tensor | None = None
        for index, layer in enumerate(self.layers):
            x = layer(x, batch)
            if self.skip_path is not None:
                carried = self.skip_path.step(index, x, carried, condition)
        return x if carried is None else x + carried

    def first_layer_input(self, batch: PackedBatch) -> Tensor:
        """What the lowest layer reads [N, D], aligned."""
        x = super().first_layer_input(batch)
        if self.alignment is None:
            return x
        condition = self.task_embeddings(batch) if batch.condition is None else batch.condition
        return self.alignment(x, condition)  # type: ignore[no-any-return]
