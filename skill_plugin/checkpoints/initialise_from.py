"""The weights of a new model from those that ``--init-from`` names, matched by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import torch
from torch import Tensor

from skill_plugin.checkpoints.initial_weights import InitialWeights, read_initial_weights
from skill_plugin.checkpoints.label_rows import LabelRows
from skill_plugin.checkpoints.origin import AVERAGED, COPIED, FRESH, TAKEN, WAYS, Origin, group_modules, list_modules
from skill_plugin.checkpoints.reuse import Reuse
from skill_plugin.errors import InputError, counted
from skill_plugin.nn.conditional.task_embeddings import draw_xavier
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.heads.next_sentence import NextSentenceHead
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.spec.skill_starts import SkillStart
from skill_plugin.variants.parameter_names import (
    dense_name,
    group_of,
    head_of,
    is_last_map,
    is_task_embedding,
    skill_table_of,
)

# what heads may start from -> what is said of those that do
_HEAD_STARTS = {
    "masked_lm": "start from the pretrained masked-LM head",
    "pooler": "start with the pretrained pooler",
    "next_sentence": "start from the pretrained next-sentence head",
}


def initialise_from(
    model: MultitaskModel,
    initial: InitialWeights,
    reuse: Reuse | None = None,
    labels: Mapping[str, LabelRows] | None = None,
) -> Origin:
    """Copies every parameter that the weights have, and says what was taken, fresh and left.

    Skills and experts start as copies of the pretrained layer's parameters, masked-LM heads as copies of the
    pretrained one, the dense maps of other heads as copies of the pretrained pooler, and gates, heads and task
    embeddings of new corpora, and new skills and languages, as ``reuse`` says. A head starts anew where the file has
    one of its name with other maps; of one with other labels, the rows of those that it has are taken. A skill of which
    nothing is said and that a trained checkpoint lacks starts as the mean of the checkpoint's skills of its kind: none
    of them is known to be the general one, and a random skill would spoil what the corpora's other skills know. An
    expert that it lacks starts as the mean of what is in its place. Adapters, which give nothing at the start, are left
    alone.

    Args:
        model: the new model.
        initial: what it starts from.
        reuse: what new corpora, skills and languages start from.
        labels: the labels of heads that have other ones in the weights, or in another order.

    Raises:
        InputError: a shared part of the encoder is missing from the weights or has another size.
    """
    start = _Initialiser(model, initial, reuse, labels or {})
    with torch.no_grad():
        for name, target in model.state_dict().items():
            start.set(name, target)
    ways = {**start.ways, FRESH: start.ways[FRESH] + start.fresh}
    divided = _divided_heads(start.fresh, start.heads["pooler"])
    left = list_modules(set(initial.state) - start.used)
    lines = [
        f"--init-from {initial.file}: took {len(start.used)} of its {counted(len(initial.state), 'tensor')}",
        *start.lines(),
        f"fresh: {', '.join(list_modules(start.fresh, divided)) or 'nothing'}",
        f"left in the file: {', '.join(left) or 'nothing'}",
    ]
    before = None if initial.bundle is None else initial.bundle.origin
    return Origin(initial.file, group_modules(ways, divided), left, lines, before)


class _Initialiser:
    """Sets the parameters of a model one by one, and knows what each started from.

    Attributes:
        ways: the parameters that started in each of ``WAYS``, without ``fresh``.
        fresh: parameters for which there is nothing.
        used: tensors of the file.
        copies: parameters of skills and experts that are copies of a pretrained layer's.
        heads: parameters of heads, by the part of ``_HEAD_STARTS`` that they are copies of.
        means: parameters of skills and experts that the file lacks, and the tensors of which they are the mean.
        reused: parameters that started as ``reuse`` says.
        encoders: weights of the encoders that it names, by file.
        labels: as for ``initialise_from``, of heads whose maps are the same.
    """

    def __init__(
        self, model: MultitaskModel, initial: InitialWeights, reuse: Reuse | None, labels: Mapping[str, LabelRows]
    ) -> None:
        self.model, self.initial, self.reuse = model, initial, reuse
        self.other_heads, self.in_place = _other_heads(model, initial.state), _by_place(initial.state)
        self.ways: dict[str, list[str]] = {way: [] for way in WAYS}
        self.fresh: list[str] = []
        self.used: set[str] = set()
        self.copies: set[str] = set()
        self.heads: dict[str, set[str]] = {start: set() for start in _HEAD_STARTS}
        self.means: dict[str, list[str]] = {}
        self.reused: set[str] = set()
        self.encoders: dict[str, Mapping[str, Tensor]] = {}
        self.labels = {head: rows for head, rows in labels.items() if head not in self.other_heads}

    def set(self, name: str, target: Tensor) -> None:
        """Sets one parameter, or leaves it as it was drawn."""
        state = self.initial.state
        if group_of(name) == "adapters":
            self.ways[FRESH].append(name)
        elif head_of(name) in self.other_heads:
            self.fresh.append(name)
        elif is_last_map(name) and head_of(name) in self.labels:
            self._copy_rows(name, target, self.labels[head_of(name)])
        elif name in state:
            self._copy(name, target, name)
        elif self.reuse is not None and self.reuse.is_xavier(name):
            target.copy_(draw_xavier(sum(map(is_task_embedding, self.model.state_dict())), len(target)))
            self.reused.add(name)
            self.ways[FRESH].append(name)
        elif self.reuse is not None and (others := self.reuse.sources(name)) and all(map(state.__contains__, others)):
            self._average(name, target, others)
            self.reused.add(name)
        elif self.reuse is not None and (start := self.reuse.skill_start(name)) is not None and not start.names:
            self._start_skill(name, target, start)
        elif (source := _pretrained_name(self.model, name)) in state:
            self._copy(name, target, source)
        elif others := _others_of_its_kind(name, self.in_place):
            self._average(name, target, others)
            self.means[name] = others
        elif (group := group_of(name)) in ("encoder", "decoder"):
            trained = self.initial.bundle
            hint = "" if trained is None else f", a trained {trained.variant}: start from an encoder, or stay with that"
            raise InputError(f"the {group}'s {name!r} is not in the file{hint}", self.initial.file)
        else:
            self.fresh.append(name)

    def _start_skill(self, name: str, target: Tensor, start: SkillStart) -> None:
        """A skill that starts from a pretrained encoder, or stays as it was drawn."""
        self.reused.add(name)
        if start.encoder is None:
            self.ways[FRESH].append(name)
            return
        if start.encoder not in self.encoders:
            self.encoders[start.encoder] = read_initial_weights(start.encoder).state
        tensor = self.encoders[start.encoder].get(dense_name(name))
        if tensor is None or tensor.shape != target.shape:
            found = "nothing" if tensor is None else _size(tensor)
            raise InputError(f"{dense_name(name)!r}: found {found}, expected {_size(target)}", start.encoder)
        target.copy_(tensor)
        self.ways[COPIED].append(name)

    def _copy(self, name: str, target: Tensor, source: str) -> None:
        tensor = self.initial.state[source]
        if tensor.shape != target.shape:
            if name.startswith("heads."):
                self.fresh.append(name)
                return
            message = f"{source!r} is {_size(tensor)}, expected {_size(target)}"
            raise InputError(message, self.initial.file)
        target.copy_(tensor)
        self.used.add(source)
        self.ways[TAKEN if source == name else COPIED].append(name)
        if source != name:
            (self.heads[source.partition(".")[0]] if head_of(name) else self.copies).add(name)

    def _copy_rows(self, name: str, target: Tensor, rows: LabelRows) -> None:
        """The rows of labels that the file has; the others stay as they were drawn."""
        kept = rows.kept
        if not kept:
            self.fresh.append(name)
            return
        target[list(kept)] = self.initial.state[name][list(kept.values())].to(target)
        self.used.add(name)
        self.ways[TAKEN].append(name)

    def _average(self, name: str, target: Tensor, sources: Sequence[str]) -> None:
        target.copy_(_mean([self.initial.state[source] for source in sources], target))
        self.used.update(sources)
        self.ways[AVERAGED if len(sources) > 1 else COPIED].append(name)

    def lines(self) -> list[str]:
        """What is to be told of it, beside what is fresh."""
        lines = []
        for group in ("skills", "experts"):
            if members := {name for name in self.copies if group_of(name) == group}:
                told = f"{counted(len(members), 'tensor')} of {_parts(members)} are copies of the pretrained layers'"
                lines.append(f"{group}: {told}")
        lines += _mean_lines(self.means)
        lines += [f"heads: {_parts(names)} {_HEAD_STARTS[start]}" for start, names in self.heads.items() if names]
        if self.initial.bundle is None and (without := _without_pooler(self.model, self.fresh)):
            lines.append(f"heads: the file has no pooler, with which {_parts(without)} could start")
        lines += [rows.to_line(head) for head, rows in self.labels.items()]
        if adapters := [name for name in self.model.state_dict() if name.endswith(".lora_a")]:
            told = f"{len(adapters)} beside {_parts(adapters)}, which stay as they are; at the start they add 0"
            lines.append(f"adapters: {told}")
        if self.reused and self.reuse is not None:
            lines += self.reuse.lines(self.reused)
        return lines


def _mean(tensors: list[Tensor], like: Tensor) -> Tensor:
    """The mean of tensors of one size, on the device and in the type of another."""
    return torch.stack([tensor.to(like) for tensor in tensors]).mean(0)


def _by_place(state: Collection[str]) -> dict[str, list[str]]:
    """The skills' and experts' parameters that a trained checkpoint has in place of each of a plain encoder's."""
    found: dict[str, list[str]] = {}
    for name in state:
        if dense_name(name) != name:
            found.setdefault(dense_name(name), []).append(name)
    return found


def _others_of_its_kind(name: str, in_place: Mapping[str, list[str]]) -> list[str]:
    """What the mean is taken of for a skill or an expert that the checkpoint lacks: its like, else all in its place."""
    others = in_place.get(dense_name(name), []) if dense_name(name) != name else []
    return [other for other in others if skill_table_of(other) == skill_table_of(name)] or others


def _mean_lines(means: Mapping[str, list[str]]) -> list[str]:
    """Which modules started from which others."""
    found: dict[str, set[str]] = {}
    for name, others in means.items():
        found.setdefault(_parts([name]), set()).update(list_modules(others))
    return [
        f"{part} starts from {'the mean of ' if len(others) > 1 else ''}{', '.join(sorted(others))}"
        for part, others in found.items()
    ]


def _pretrained_name(model: MultitaskModel, name: str) -> str:
    """The name, in a plain encoder's file, of what a parameter starts from."""
    if not (head := head_of(name)):
        return dense_name(name)
    map_, _, part = name.removeprefix(f"heads.{head}.").partition(".")
    match model.heads[head]:
        case MaskedLmHead():
            return f"masked_lm.{name.removeprefix(f'heads.{head}.')}"
        case ClassificationHead() as found if map_ == "dense" and found.reads_first_token:
            return f"pooler.dense.{part}"
        case NextSentenceHead():
            return f"next_sentence.{part}"
    return name


def _other_heads(model: MultitaskModel, state: Collection[str]) -> set[str]:
    """Heads of which a trained checkpoint has one of the same name that consists of other maps."""
    ours, theirs = (_by_head(names) for names in (model.state_dict(), state))
    return {head for head, maps in theirs.items() if maps != ours.get(head, maps)}


def _by_head(names: Collection[str]) -> dict[str, set[str]]:
    """The maps of each head."""
    found: dict[str, set[str]] = {}
    for name in names:
        if head := head_of(name):
            found.setdefault(head, set()).add(name.rpartition(".")[0])
    return found


def _divided_heads(fresh: Collection[str], pooled: Collection[str]) -> set[str]:
    """Parameters of the heads that start from the pooler in part, and else from random numbers."""
    heads = {head_of(name) for name in fresh} & {head_of(name) for name in pooled}
    return {name for name in (*fresh, *pooled) if head_of(name) in heads}


def _without_pooler(model: MultitaskModel, fresh: Collection[str]) -> list[str]:
    """The fresh parameters that a pooler is for."""
    return [name for name in fresh if _pretrained_name(model, name).startswith("pooler.")]


def _size(tensor: Tensor) -> str:
    return " x ".join(map(str, tensor.shape))


def _parts(names: Collection[str]) -> str:
    return ", ".join(list_modules(names))
