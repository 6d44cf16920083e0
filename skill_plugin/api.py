"""Python interface of a trained model: ``skill_plugin.load(checkpoint).predict(corpus, inputs)``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
import torch

from skill_plugin.checkpoints.adapter_file import put_on_base
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import read_checkpoint
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.input_form import RawInput, make_input_form
from skill_plugin.kinds.items import Items, make_items
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.nn.multitask_model import MultitaskModel, MultitaskOutput
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.readers.example import Example
from skill_plugin.sampling.passes import cut_batches
from skill_plugin.sampling.training_shares import TrainingShares

MAX_TOKENS = 8192  # of a forward pass


class Model:
    """A trained model in evaluation mode.

    Args:
        bundle: its structure, corpora, labels and tokenizer.
        model: its weights.
        device: where it runs.
        shares: what it was trained on, where that is known.
    """

    def __init__(
        self, bundle: Bundle, model: MultitaskModel, device: torch.device, shares: TrainingShares | None = None
    ) -> None:
        self.bundle, self.device, self.shares = bundle, device, shares
        self.model = model.to(device).eval()
        self._items: dict[str, Items] = {}

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

    def predict(self, corpus: str, inputs: Sequence[RawInput], batch_size: int = 32) -> list[Prediction]:
        """One prediction for each input, in order.

        Args:
            corpus: whose head, skills and labels to use.
            inputs: of the corpus's kind, see ``InputForm.example``: a text, one to three texts, or a
                mapping, as ``{"question": …, "context": …}``.
            batch_size: sequences in a forward pass.

        Raises:
            InputError: not a corpus of this model; an input that its kind cannot have.
        """
        return list(self.predict_stream(corpus, inputs, batch_size))

    def predict_stream(
        self, corpus: str, inputs: Iterable[RawInput], batch_size: int = 32, max_tokens: int = MAX_TOKENS
    ) -> Iterator[Prediction]:
        """As ``predict``, for any number of inputs: answers come as the inputs are read."""
        self.labels(corpus)  # refuses an unknown corpus
        form = make_input_form(self.bundle.corpus(corpus))
        return self.predict_examples(corpus, map(form.example, inputs), batch_size, max_tokens)

    def predict_examples(
        self, corpus: str, examples: Iterable[Example], batch_size: int = 32, max_tokens: int = MAX_TOKENS
    ) -> Iterator[Prediction]:
        """As ``predict_stream``, for inputs that are examples already."""
        items, stream = self.items(corpus), iter(examples)
        while chunk := list(islice(stream, batch_size)):
            rows = items.encode(chunk)
            sequences = [items.sequences(row) for row in rows]
            outputs = self.outputs(corpus, [one for row in sequences for one in row], None, batch_size, max_tokens)
            parts = outputs.split([sum(len(one.units) for one in row) for row in sequences])
            for part, row, own, example in zip(parts, rows, sequences, chunk, strict=True):
                yield items.predict(part, row, own, example)

    def items(self, corpus: str) -> Items:
        """How the inputs of a corpus are read and answered."""
        if corpus not in self._items:
            self._items[corpus] = make_items(corpus_reading(self.bundle, corpus))
        return self._items[corpus]

    def outputs(
        self,
        corpus: str,
        sequences: Sequence[EncodedSequence],
        target: Mapping[str, torch.Tensor] | None,
        batch_size: int,
        max_tokens: int = MAX_TOKENS,
    ) -> torch.Tensor:
        """What the corpus's head says of sequences, reduced by its items, float32 on the CPU [units, …].

        Args:
            corpus: one of the model's.
            sequences: any number; they are divided into packs.
            target: the ``unit_targets`` of all of them, where the right answers are to be scored.
            batch_size, max_tokens: sequences and tokens of a pack.
        """
        items, active, head = self.items(corpus), self.bundle.active_set(corpus), self.bundle.corpus(corpus).head
        lengths = np.array([len(sequence.tokens) for sequence in sequences], np.int64)
        found, at = [], 0
        for part in cut_batches(np.arange(len(sequences), dtype=np.int64), lengths, batch_size, max_tokens):
            members = [sequences[int(i)] for i in part]
            units = sum(len(one.units) for one in members)
            batch = pack([(active, head, members)], self.bundle.shape.token_types > 0)
            own = {name: values[at : at + units].to(self.device) for name, values in (target or {}).items()}
            (answer,) = self.forward(batch, [own.get("classes")])
            reduced = items.reduce(answer, own if target is not None else None)
            found.append(reduced.float().cpu())
            at += units
        return torch.cat(found)

    @torch.no_grad()
    def forward(
        self, batch: PackedBatch, classes: Sequence[torch.Tensor | None] | None = None
    ) -> list[torch.Tensor | TokenScores]:
        """Outputs of each segment's head; ``classes`` as for ``MultitaskModel``, on the model's device."""
        found: MultitaskOutput = self.model(batch.to(self.device), classes=classes)
        return found.answers


def load(checkpoint: str, device: str = "cpu", adapter: str | None = None) -> Model:
    """The model of a checkpoint; see ``skill_plugin.load``."""
    try:
        place = torch.zeros(1, device=device)
        place.tolist()  # torch's meta device has no values, so that nothing can run on it
    except (RuntimeError, AssertionError) as error:  # torch's for an unknown device, and for one it was built without
        reason = (str(error).splitlines() or ["unknown"])[0]
        raise InputError(f"cannot run on the device {device!r}: {reason}") from None
    trained = read_checkpoint(checkpoint) if adapter is None else put_on_base(adapter, checkpoint)
    return Model(trained.bundle, trained.model(), place.device, trained.shares)
