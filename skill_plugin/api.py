"""Python interface of a trained model: ``skill_plugin.load(checkpoint).predict(corpus, inputs)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any, Literal, TypeVar, get_args, overload

import torch
from torch import Tensor

from skill_plugin.checkpoints.activation import parse_activation
from skill_plugin.checkpoints.adapter_file import put_on_base
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint, read_checkpoint
from skill_plugin.checkpoints.slice import take_slice
from skill_plugin.data.answer_pack import Wanted, answer_pack
from skill_plugin.data.asked import Asked
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.data.request import Request, RequestPart, SourceT, in_order
from skill_plugin.data.together import Reader, SharedPack, SharedPass, cut_together, put_together
from skill_plugin.data.write_answers import write_answers
from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.input_form import RawInput, make_input_form, read_inputs
from skill_plugin.kinds.items import Items
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.answers_only import answers_only
from skill_plugin.nn.bank import choices_of
from skill_plugin.nn.multitask_model import MultitaskModel, MultitaskOutput
from skill_plugin.nn.packed_batch import pack
from skill_plugin.nn.run_ahead import run_ahead
from skill_plugin.options.decoding import DECODINGS, Decoding
from skill_plugin.readers.example import Example
from skill_plugin.sampling.training_shares import TrainingShares
from skill_plugin.text_to_text.make_items import make_items
from skill_plugin.variants.parameter_names import share_equal

GPU_TOKENS = 8192  # of a forward pass
CPU_TOKENS = 1024  # small enough for what a layer makes of them to stay in a core's cache
FIRST_PORTION, LARGEST_PORTION = 32, 4096  # inputs that are encoded together; a multiple of a pack
PORTION_CHARACTERS = 1 << 22

Corpora = list[str] | tuple[str, ...]
Pooling = Literal["mean", "first", "both"]
T = TypeVar("T")


class Model:
    """A trained model in evaluation mode. Any number of threads may ask it at once.

    Args:
        bundle: its structure, corpora, labels and tokenizer.
        model: its weights.
        device: where it runs.
        shares: what it was trained on, where that is known.
        replaced: what corpora activate, where that is not what they were trained with.
        decode: how a text-to-text model answers, see ``load``.

    Raises:
        InputError: a model with heads that is to write.
    """

    def __init__(
        self,
        bundle: Bundle,
        model: MultitaskModel,
        device: torch.device,
        shares: TrainingShares | None = None,
        replaced: Mapping[str, ActiveSet] | None = None,
        decode: Decoding = "constrained",
    ) -> None:
        if decode == "greedy" and not bundle.is_text_to_text:
            raise InputError("decoding greedy: the model has heads, which choose; only text-to-text models write")
        self.bundle, self.device, self.shares, self.decode = bundle, device, shares, decode
        self.replaced = dict(replaced or {})
        self.model = model.to(device).eval()
        self._items: dict[str, Items] = {}

    @property
    def corpora(self) -> list[str]:
        """The corpora that it can answer for."""
        return list(self.bundle.labels)

    @cached_property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """What it has for corpora to activate, by the part of an ``ActiveSet``: ``{"language": ("en", "zh"), …}``."""
        return choices_of(self.model)

    def active_set(self, corpus: str) -> ActiveSet:
        """What a corpus activates."""
        return self.replaced.get(corpus) or self.bundle.active_set(corpus)

    def active_names(self, corpus: str) -> dict[str, Any]:
        """What a corpus activates of ``choices``, as plain values."""
        active = self.active_set(corpus)
        return {part: list(active.skills) if part == "skills" else getattr(active, part) for part in self.choices}

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

    def together(
        self,
        groups: Iterable[Sequence[Asked]],
        wanted: Wanted = "answers",
        batch_size: int | None = None,
        max_tokens: int | None = None,
    ) -> Iterator[tuple[Sequence[Asked], list[Tensor]]]:
        """Reads inputs of several corpora in the same packs, each sequence that they have in common once.

        Args:
            groups: what is read together. Groups are read ahead, but the first one.
            wanted: see ``Wanted``.
            batch_size, max_tokens: as for ``predict_stream``.

        Yields:
            each group, in order, and the outputs of each of its members, float32 on the CPU: [units, …] of all its
            sequences, or states [sequences, 2 D].
        """
        model = answers_only(self.model) if self.device.type == "cpu" and wanted != "states" else self.model
        run = partial(answer_pack, model, wanted, self.items, self.bundle.shape.token_types > 0, self.device)
        passes = (
            ((group, own), own)
            for group in groups
            for own in [[SharedPass(one, run) for one in self._cut(group, wanted, batch_size, max_tokens)]]
        )
        for (group, own), outputs in run_ahead(passes, self.device):
            by_reader = [one.by_reader(flat) for one, flat in zip(own, outputs, strict=True)]
            yield group, put_together([one.pack for one in own], by_reader)

    def _cut(
        self, group: Sequence[Asked], wanted: Wanted, batch_size: int | None, max_tokens: int | None
    ) -> list[SharedPack]:
        requests = [one.whole_sequences if wanted == "states" else one.request for one in group]
        readers = [
            Reader(self._active_sets[one.corpus], self.bundle.corpus(one.corpus).head, one.corpus) for one in group
        ]
        return cut_together(requests, readers, batch_size, max_tokens or self.max_tokens)

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

    @cached_property
    def _active_sets(self) -> dict[str, ActiveSet]:
        """As ``active_set``; the same for corpora that activate the same parameters of the encoder."""
        names = [name for name, _ in self.model.named_parameters()]
        return share_equal(names, {name: self.active_set(name) for name in self.bundle.labels})

    def items(self, corpus: str) -> Items:
        """How the inputs of a corpus are read and answered."""
        if corpus not in self._items:
            self._items[corpus] = make_items(corpus_reading(self.bundle, corpus, self.decode == "greedy"))
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
        run = partial(self.answer_part, model, corpus)
        passes = (((source, parts), [partial(run, part) for part in parts]) for source, parts in cut)
        for (source, parts), outputs in run_ahead(passes, self.device):
            yield source, in_order(parts, outputs)

    @torch.no_grad()
    def answer_part(self, model: MultitaskModel, corpus: str, part: RequestPart) -> torch.Tensor:
        """Outputs of a pack, reduced by the corpus's items, float32 on the model's device.

        Args:
            model: the same modules, of which some may do no more than answers need.
            corpus: one of the model's.
            part: sequences, and what ``Items.reduce`` needs of them.
        """
        active, head = self.active_set(corpus), self.bundle.corpus(corpus).head
        batch = pack([(active, head, part.sequences)], self.bundle.shape.token_types > 0)
        target = None
        if part.target is not None:
            target = {name: values.to(self.device) for name, values in part.target.items()}
        items = self.items(corpus)
        if items.most_written and not target:
            return write_answers(model, batch.to(self.device), [items.most_written])[0]
        found: MultitaskOutput = model(batch.to(self.device), classes=[(target or {}).get("classes")])
        return items.reduce(found.answers[0], target).float()


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
