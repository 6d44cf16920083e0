"""Python interface of a trained model: ``skill_plugin.load(checkpoint).predict(corpus, inputs)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, TypeVar, get_args, overload

import torch
from torch import Tensor

from skill_plugin.checkpoints.activation import parse_activation
from skill_plugin.checkpoints.adapter_file import put_on_base
from skill_plugin.checkpoints.checkpoint import Checkpoint, read_checkpoint
from skill_plugin.checkpoints.slice import take_slice
from skill_plugin.data.answer_pack import Wanted
from skill_plugin.data.asked import Asked
from skill_plugin.errors import InputError
from skill_plugin.kinds.input_form import RawInput, make_input_form, read_inputs
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.options.decoding import DECODINGS, Decoding
from skill_plugin.readers.example import Example
from skill_plugin.trained_model import TrainedModel

FIRST_PORTION, LARGEST_PORTION = 32, 4096  # inputs that are encoded together; a multiple of a pack
PORTION_CHARACTERS = 1 << 22

Corpora = list[str] | tuple[str, ...]
Pooling = Literal["mean", "first", "both"]
T = TypeVar("T")


class Model(TrainedModel):
    """A trained model that a person asks, with inputs as they come; see ``TrainedModel`` for its arguments."""

    def activating(self, corpora: Mapping[str, str | ActiveSet]) -> Model:
        """The same model, with other skills, another language, gate or task embedding for some corpora.

        Args:
            corpora: for each of them the new active set, or what changes in it: ``"generic,token"``, ``"+zh"``,
                ``"generic,token+zh"``, or ``"@other"`` for the gate or task embedding of the corpus ``other``.

        Raises:
            InputError: not a corpus of this model, or a name that it does not have.
        """
        replaced = {}
        for name, new in corpora.items():
            self.labels(name)  # refuses an unknown corpus
            replaced[name] = parse_activation(new, name, self.bundle, self.choices) if isinstance(new, str) else new
        return Model(self.bundle, self.model, self.device, self.shares, {**self.replaced, **replaced}, self.decode)

    def slice(self, corpus: str) -> Model:
        """What a corpus uses, as a dense model that answers for it alone and gives the same; smaller, and often faster.

        Raises:
            InputError: not a corpus of this model, or it uses experts, or conditional modules that no dense model has.
        """
        self.labels(corpus)  # refuses an unknown corpus
        whole = Checkpoint(self.bundle, self.model.state_dict(), self.shares)
        sliced = take_slice(whole, corpus, self.active_set(corpus))
        return Model(sliced.bundle, sliced.model(), self.device, self.shares)

    @overload
    def predict(self, corpus: str, inputs: Sequence[RawInput], batch_size: int | None = None) -> list[Prediction]: ...
    @overload
    def predict(
        self, corpus: Corpora, inputs: Sequence[RawInput], batch_size: int | None = None
    ) -> dict[str, list[Prediction]]: ...
    def predict(
        self, corpus: str | Corpora, inputs: Sequence[RawInput], batch_size: int | None = None
    ) -> list[Prediction] | dict[str, list[Prediction]]:
        """One prediction for each input, in order.

        Args:
            corpus: whose head, skills and labels to use; or several corpora, which read the same inputs together: a
                sequence that corpora with equal active sets have in common goes through the encoder once.
            inputs: of the corpus's kind, see ``InputForm.example``: a text, one to three texts, or a
                mapping, as ``{"question": …, "context": …}``.
            batch_size: the most sequences in a forward pass; None for any number.

        Returns:
            the predictions, for several corpora by their names.

        Raises:
            InputError: not a corpus of this model; an input that its kind cannot have.
        """
        if isinstance(corpus, str):
            return list(self.predict_stream(corpus, inputs, batch_size))
        return self._each(corpus, inputs, batch_size, "answers", Asked.predictions)

    @overload
    def logits(self, corpus: str, inputs: Sequence[RawInput], batch_size: int | None = None) -> list[Tensor]: ...
    @overload
    def logits(
        self, corpus: Corpora, inputs: Sequence[RawInput], batch_size: int | None = None
    ) -> dict[str, list[Tensor]]: ...
    def logits(
        self, corpus: str | Corpora, inputs: Sequence[RawInput], batch_size: int | None = None
    ) -> list[Tensor] | dict[str, list[Tensor]]:
        """What the head says of each input, over the corpus's temperature where it has one, [U, C], float32 on the CPU,
        in order.

        U is 1 for kinds that answer with labels or a score, the number of words for labelling, of candidates for
        ranking, of masks for masked_lm; for span the first token of each window and the tokens of the context in it,
        window after window. C is the number of labels in the order of their ids, of tags, of pieces of the vocabulary
        (masked_lm), 2 (span: begins here, ends here) or 1 (a score).

        Args:
            corpus: as for ``predict``.
            inputs: as for ``predict``.
            batch_size: as for ``predict``.

        Raises:
            InputError: as for ``predict``; the model writes the answers.
        """
        for name in [corpus] if isinstance(corpus, str) else corpus:
            self.labels(name)  # refuses an unknown corpus
            if self.items(name).most_written:
                raise InputError(
                    f"corpus {name!r}: answers that are written have no logits, only those that are chosen"
                )
        found = self._each(corpus, inputs, batch_size, "logits", Asked.by_input)
        return found[corpus] if isinstance(corpus, str) else found

    @overload
    def embed(
        self, corpus: str, inputs: Sequence[RawInput], pooling: Pooling = "mean", batch_size: int | None = None
    ) -> Tensor: ...
    @overload
    def embed(
        self, corpus: Corpora, inputs: Sequence[RawInput], pooling: Pooling = "mean", batch_size: int | None = None
    ) -> dict[str, Tensor]: ...
    def embed(
        self,
        corpus: str | Corpora,
        inputs: Sequence[RawInput],
        pooling: Pooling = "mean",
        batch_size: int | None = None,
    ) -> Tensor | dict[str, Tensor]:
        """Sentence vectors: hidden states of the last layer with the corpus's active set [n, D], float32 on the CPU.

        An input of several sequences (windows, candidates) has one vector, of all of them.

        Args:
            corpus: as for ``predict``.
            inputs: as for ``predict``.
            batch_size: as for ``predict``.
            pooling: ``mean`` of all its tokens, special tokens included; ``first``: the first token, which heads of
                sentences read, and the mean of these where an input has several sequences; ``both``: one behind the
                other [n, 2 D].

        Raises:
            InputError: as for ``predict``.
            ValueError: another pooling.
        """
        if pooling not in get_args(Pooling):
            raise ValueError(f"pooling is {pooling!r}; expected one of: {', '.join(get_args(Pooling))}")
        width = self.bundle.shape.width
        columns = {"mean": slice(width), "first": slice(width, None), "both": slice(None)}[pooling]
        vectors = self._each(corpus, inputs, batch_size, "states", Asked.vectors)
        empty = torch.zeros(0, 2 * width)
        found = {name: (torch.stack(own) if own else empty)[:, columns] for name, own in vectors.items()}
        return found[corpus] if isinstance(corpus, str) else found

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
        return self.predict_examples(corpus, read_inputs(form, inputs), batch_size, max_tokens)

    def predict_examples(
        self, corpus: str, examples: Iterable[Example], batch_size: int | None = None, max_tokens: int | None = None
    ) -> Iterator[Prediction]:
        """As ``predict_stream``, for inputs that are examples already."""
        items = self.items(corpus)
        asked = (Asked.of(corpus, items, portion) for portion in _portions(examples, batch_size or FIRST_PORTION))
        for one, outputs in self.outputs(corpus, (one.request for one in asked), batch_size, max_tokens):
            yield from one.predictions(outputs)

    def ask(self, corpus: str, inputs: Sequence[RawInput], first: int = 0) -> Asked:
        """Encodes inputs, one or more, for ``together``.

        Args:
            corpus: one of the model's.
            inputs: as for ``predict``.
            first: number of the first one, for messages.

        Raises:
            InputError: as for ``predict``.
        """
        self.labels(corpus)  # refuses an unknown corpus
        form = make_input_form(self.bundle.corpus(corpus))
        return Asked.of(corpus, self.items(corpus), list(read_inputs(form, inputs, first)))

    def _each(
        self,
        corpora: str | Corpora,
        inputs: Sequence[RawInput],
        batch_size: int | None,
        wanted: Wanted,
        parts: Callable[[Asked, Tensor], Iterable[T]],
    ) -> dict[str, list[T]]:
        """What is made of the outputs for each input, by corpus."""
        found: dict[str, list[T]] = {name: [] for name in ([corpora] if isinstance(corpora, str) else corpora)}
        for name in found:
            self.labels(name)  # refuses an unknown corpus before the first pass
        size = max(1, LARGEST_PORTION // max(1, len(found)))
        starts = range(0, len(inputs) if found else 0, size)
        groups = ([self.ask(name, inputs[at : at + size], at) for name in found] for at in starts)
        for group, outputs in self.together(groups, wanted, batch_size):
            for one, own in zip(group, outputs, strict=True):
                found[one.corpus] += parts(one, own)
        return found


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


def load(checkpoint: str, device: str = "cpu", adapter: str | None = None, decode: Decoding = "constrained") -> Model:
    """The model of a checkpoint; see ``skill_plugin.load``."""
    if decode not in DECODINGS:
        raise ValueError(f"decode is {decode!r}; expected one of: {', '.join(DECODINGS)}")
    place = find_device(device)
    trained = read_checkpoint(checkpoint) if adapter is None else put_on_base(adapter, checkpoint)
    return Model(trained.bundle, trained.model(), place, trained.shares, decode=decode)


def find_device(name: str) -> torch.device:
    """A device by torch's name for it.

    Raises:
        InputError: nothing can run on it.
    """
    try:
        place = torch.zeros(1, device=name)
        place.tolist()  # torch's meta device has no values, so that nothing can run on it
    except (RuntimeError, AssertionError) as error:  # torch's for an unknown device, and for one it was built without
        reason = (str(error).splitlines() or ["unknown"])[0]
        raise InputError(f"cannot run on the device {name!r}: {reason}") from None
    return place.device
