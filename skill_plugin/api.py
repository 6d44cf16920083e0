"""Python interface of a trained model: ``skill_plugin.load(checkpoint).predict(corpus, inputs)``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import torch

from skill_plugin.checkpoints.adapter_file import put_on_base
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import read_checkpoint
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.data.request import Request, RequestPart, SourceT, in_order
from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.input_form import RawInput, make_input_form
from skill_plugin.kinds.items import Items, make_items
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.nn.answers_only import answers_only
from skill_plugin.nn.multitask_model import MultitaskModel, MultitaskOutput
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.nn.run_ahead import run_ahead
from skill_plugin.readers.example import Example
from skill_plugin.sampling.training_shares import TrainingShares
from skill_plugin.store.encoded_row import EncodedRow

GPU_TOKENS = 8192  # of a forward pass
CPU_TOKENS = 1024  # small enough for what a layer makes of them to stay in a core's cache
FIRST_PORTION, LARGEST_PORTION = 32, 4096  # inputs that are encoded together; a multiple of a pack
PORTION_CHARACTERS = 1 << 22

Encoded = tuple[list[Example], list[EncodedRow], list[list[EncodedSequence]]]


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

    @property
    def max_tokens(self) -> int:
        """The most tokens of a forward pass that suit its device."""
        return CPU_TOKENS if self.device.type == "cpu" else GPU_TOKENS

    def labels(self, corpus: str) -> tuple[str, ...]:
        """The labels of a corpus in the order of their ids.

        Raises:
            InputError: not a corpus of this model.
        """
        if corpus not in self.bundle.labels:
            raise InputError(f"the model has no corpus {corpus!r}{nearest(corpus, self.corpora)}")
        return self.bundle.labels[corpus]

    def predict(self, corpus: str, inputs: Sequence[RawInput], batch_size: int | None = None) -> list[Prediction]:
        """One prediction for each input, in order.

        Args:
            corpus: whose head, skills and labels to use.
            inputs: of the corpus's kind, see ``InputForm.example``: a text, one to three texts, or a
                mapping, as ``{"question": …, "context": …}``.
            batch_size: the most sequences in a forward pass; None for any number.

        Raises:
            InputError: not a corpus of this model; an input that its kind cannot have.
        """
        return list(self.predict_stream(corpus, inputs, batch_size))

    def predict_stream(
        self, corpus: str, inputs: Iterable[RawInput], batch_size: int | None = None, max_tokens: int | None = None
    ) -> Iterator[Prediction]:
        """As ``predict``, for any number of inputs: answers come as inputs are read, a few at first, then thousands.

        Args:
            corpus: as for ``predict``.
            inputs: as for ``predict``, any number.
            batch_size: as for ``predict``.
            max_tokens: the most tokens in a forward pass; None for what suits the device.
        """
        self.labels(corpus)  # refuses an unknown corpus
        form = make_input_form(self.bundle.corpus(corpus))
        return self.predict_examples(corpus, map(form.example, inputs), batch_size, max_tokens)

    def predict_examples(
        self, corpus: str, examples: Iterable[Example], batch_size: int | None = None, max_tokens: int | None = None
    ) -> Iterator[Prediction]:
        """As ``predict_stream``, for inputs that are examples already."""
        items = self.items(corpus)
        requests = (_request(items, portion) for portion in _portions(examples, batch_size or FIRST_PORTION))
        for (portion, rows, sequences), outputs in self.outputs(corpus, requests, batch_size, max_tokens):
            parts = outputs.split([sum(len(one.units) for one in row) for row in sequences])
            for part, row, own, example in zip(parts, rows, sequences, portion, strict=True):
                yield items.predict(part, row, own, example)

    def items(self, corpus: str) -> Items:
        """How the inputs of a corpus are read and answered."""
        if corpus not in self._items:
            self._items[corpus] = make_items(corpus_reading(self.bundle, corpus))
        return self._items[corpus]

    def outputs(
        self,
        corpus: str,
        requests: Iterable[Request[SourceT]],
        batch_size: int | None = None,
        max_tokens: int | None = None,
    ) -> Iterator[tuple[SourceT, torch.Tensor]]:
        """What the corpus's head says of sequences, reduced by its items. Requests are read ahead, but the first one.

        Args:
            corpus: one of the model's.
            requests: any number of them.
            batch_size, max_tokens: as for ``predict_stream``.

        Yields:
            the source of each request, in order, and the outputs [units, …] of its sequences, float32 on the CPU.
        """
        self.items(corpus)  # made once, before threads ask for it
        cut = ((one.source, one.parts(batch_size, max_tokens or self.max_tokens)) for one in requests)
        model = answers_only(self.model) if self.device.type == "cpu" else self.model
        run = partial(self._reduced, model, corpus)
        passes = (((source, parts), [partial(run, part) for part in parts]) for source, parts in cut)
        for (source, parts), outputs in run_ahead(passes, self.device):
            yield source, in_order(parts, outputs)

    @torch.no_grad()
    def _reduced(self, model: MultitaskModel, corpus: str, part: RequestPart) -> torch.Tensor:
        """Outputs of a pack, reduced by the corpus's items, float32 on the model's device."""
        active, head = self.bundle.active_set(corpus), self.bundle.corpus(corpus).head
        batch = pack([(active, head, part.sequences)], self.bundle.shape.token_types > 0)
        target = None
        if part.target is not None:
            target = {name: values.to(self.device) for name, values in part.target.items()}
        found: MultitaskOutput = model(batch.to(self.device), classes=[(target or {}).get("classes")])
        return self.items(corpus).reduce(found.answers[0], target).float()


def _portions(examples: Iterable[Example], size: int) -> Iterator[list[Example]]:
    """Examples that are in memory together, ``size`` at first, then more and more, so that memory stays bounded."""
    portion, characters = [], 0
    for example in examples:
        portion.append(example)
        characters += sum(map(len, chain(example.texts, example.candidates)))
        if len(portion) >= size or characters >= PORTION_CHARACTERS:
            yield portion
            portion, characters, size = [], 0, max(size, min(4 * size, LARGEST_PORTION))
    if portion:
        yield portion


def _request(items: Items, portion: list[Example]) -> Request[Encoded]:
    rows = items.encode(portion)
    sequences = [items.sequences(row) for row in rows]
    return Request((portion, rows, sequences), list(chain.from_iterable(sequences)))


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
