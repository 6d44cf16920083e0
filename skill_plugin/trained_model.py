"""A trained model at work: what its corpora activate, and the forward passes that answer requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import torch
from torch import Tensor

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.data.answer_pack import Wanted, answer_pack
from skill_plugin.data.asked import Asked
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.data.request import Request, RequestPart, SourceT, in_order
from skill_plugin.data.together import Reader, SharedPack, SharedPass, cut_together, put_together
from skill_plugin.data.write_answers import write_answers
from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.items import Items
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.answers_only import answers_only
from skill_plugin.nn.bank import choices_of
from skill_plugin.nn.multitask_model import MultitaskModel, MultitaskOutput
from skill_plugin.nn.packed_batch import pack
from skill_plugin.nn.run_ahead import run_ahead
from skill_plugin.options.decoding import Decoding
from skill_plugin.sampling.training_shares import TrainingShares
from skill_plugin.text_to_text.make_items import make_items
from skill_plugin.variants.parameter_names import share_equal

_GPU_TOKENS = 8192  # of a forward pass
_CPU_TOKENS = 1024  # small enough for what a layer makes of them to stay in a core's cache


def most_tokens(device: torch.device) -> int:
    """The most tokens of a forward pass that suit a device."""
    return _CPU_TOKENS if device.type == "cpu" else _GPU_TOKENS


class TrainedModel:
    """A trained model in evaluation mode, on a device. Any number of threads may ask it at once.

    Args:
        bundle: its structure, corpora, labels and tokenizer.
        model: its weights.
        device: where it runs.
        shares: what it was trained on, where that is known.
        replaced: what corpora activate, where that is not what they were trained with.
        decode: how a text-to-text model answers, see ``skill_plugin.load``.

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

    def labels(self, corpus: str) -> tuple[str, ...]:
        """The labels of a corpus in the order of their ids.

        Raises:
            InputError: not a corpus of this model.
        """
        if corpus not in self.bundle.labels:
            raise InputError(f"the model has no corpus {corpus!r}{nearest(corpus, self.corpora)}")
        return self.bundle.labels[corpus]

    @property
    def max_tokens(self) -> int:
        """The most tokens of a forward pass that suit its device."""
        return most_tokens(self.device)

    def items(self, corpus: str) -> Items:
        """How the inputs of a corpus are read and answered."""
        if corpus not in self._items:
            self._items[corpus] = make_items(corpus_reading(self.bundle, corpus, self.decode == "greedy"))
        return self._items[corpus]

    @cached_property
    def _active_sets(self) -> dict[str, ActiveSet]:
        """As ``active_set``; the same for corpora that activate the same parameters of the encoder."""
        names = [name for name, _ in self.model.named_parameters()]
        return share_equal(names, {name: self.active_set(name) for name in self.bundle.labels})

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
        run = partial(answer_pack, model, wanted, self.items, self.bundle.reads_token_types, self.device)
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
        batch = pack([(active, head, part.sequences)], self.bundle.reads_token_types)
        target = None
        if part.target is not None:
            target = {name: values.to(self.device) for name, values in part.target.items()}
        items = self.items(corpus)
        if items.most_written and not target:
            return write_answers(model, batch.to(self.device), [items.most_written])[0]
        found: MultitaskOutput = model(batch.to(self.device), classes=[(target or {}).get("classes")])
        return items.reduce(found.answers[0], target).float()
