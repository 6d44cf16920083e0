"""Python interface of a trained model: ``skill_plugin.load(checkpoint).predict(corpus, inputs)``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import torch

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.trained import read_trained
from skill_plugin.errors import InputError, nearest
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack


@dataclass(frozen=True)
class Prediction:
    """One answer.

    Attributes:
        label: the most probable label.
        probabilities: of every label, in the order of their ids.
    """

    label: str
    probabilities: dict[str, float]


class Model:
    """A trained model in evaluation mode.

    Args:
        bundle: its structure, corpora, labels and tokenizer.
        model: its weights.
        device: where it runs.
    """

    def __init__(self, bundle: Bundle, model: MultitaskModel, device: torch.device) -> None:
        self.bundle, self.device = bundle, device
        self.model = model.to(device).eval()

    @property
    def corpora(self) -> list[str]:
        """The corpora that it can answer for."""
        return list(self.bundle.labels)

    def labels(self, corpus: str) -> tuple[str, ...]:
        """The labels of a corpus in the order of their ids.

        Raises:
            InputError: not a corpus of this model.
        """
        if corpus not in self.bundle.labels:
            raise InputError(f"the model has no corpus {corpus!r}{nearest(corpus, self.corpora)}")
        return self.bundle.labels[corpus]

    def predict(self, corpus: str, inputs: Sequence[str | Sequence[str]], batch_size: int = 32) -> list[Prediction]:
        """One prediction for each input, in order.

        Args:
            corpus: whose head, skills and labels to use.
            inputs: a text each, or one to three texts.
            batch_size: sequences in a forward pass.

        Raises:
            InputError: not a corpus of this model.
        """
        return list(self.predict_stream(corpus, inputs, batch_size))

    def predict_stream(
        self, corpus: str, inputs: Iterable[str | Sequence[str]], batch_size: int = 32
    ) -> Iterator[Prediction]:
        """As ``predict``, for any number of inputs: answers come as the inputs are read."""
        labels = self.labels(corpus)
        stream = iter(inputs)
        while chunk := list(islice(stream, batch_size)):
            batch = self._pack(corpus, [(text,) if isinstance(text, str) else tuple(text) for text in chunk])
            for row in self.forward(batch)[0].float().softmax(-1).tolist():
                yield Prediction(labels[max(range(len(row)), key=row.__getitem__)], dict(zip(labels, row, strict=True)))

    @torch.no_grad()
    def forward(self, batch: PackedBatch) -> list[torch.Tensor]:
        """Outputs of each segment's head."""
        return self.model(batch.to(self.device))

    def _pack(self, corpus: str, inputs: Sequence[tuple[str, ...]]) -> PackedBatch:
        """The inputs as one segment, truncated as in training."""
        text, name = self.bundle.text_encoder, self.bundle.corpus(corpus)
        flat = iter(text.encode_batch([part for texts in inputs for part in texts]))
        sequences = []
        for texts in inputs:
            ids = [next(flat).ids for _ in texts]
            assembled = text.template.assemble(ids, self.bundle.length_of(corpus), name.truncate)
            sequences.append(EncodedSequence(assembled.tokens, assembled.token_types))
        return pack([(self.bundle.active_set(corpus), name.head, sequences)], self.bundle.shape.token_types > 0)


def load(checkpoint: str, device: str = "cpu") -> Model:
    """The model of a checkpoint; see ``skill_plugin.load``."""
    trained = read_trained(checkpoint)
    return Model(trained.bundle, trained.model(), torch.device(device))
