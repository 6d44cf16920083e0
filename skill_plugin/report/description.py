"""``describe``: how many parameters a model has, whose they are, and what each corpus activates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from rich.table import Table
from torch import nn

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.heads.linear import LinearHead
from skill_plugin.nn.heads.spectral_linear import SpectralLinear
from skill_plugin.nn.initialise import NoFreshWeights
from skill_plugin.options.flag import flag_of
from skill_plugin.variants.parameter_names import (
    GROUPS,
    dense_name,
    group_of,
    is_active,
    is_base,
    is_product,
    skill_of,
    skill_table_of,
)
from skill_plugin.weights.undamaged import damage_named

PARTS = {
    "experts": "experts, all of them",
    "experts_added": "experts added to the dense model",
    "gates": "gating",
    "conditional": "conditional modules and task embeddings",
    "trainable": "trainable",
}
COST = "of a token in the encoder's matrices, relative to the dense model"

Parameters = Mapping[str, nn.Parameter]


@dataclass(frozen=True)
class CorpusDescription:
    """One corpus.

    Attributes:
        activated: how many parameters its sequences use, embedding tables and all experts included.
        per_token: how many parameters one token uses: k experts of each layer instead of all.
        products: how many weights of the encoder's matrices one token is multiplied with; each is two FLOPs of a
            forward pass. Attention between tokens, and the head, cost the same in all models.
        cost: ``products`` relative to those of the dense model.
        trainable: how many of the activated parameters training changes.
        skills: its task skills, as far as the model has any.
        language: its language skill.
        head: its head; empty for a model that answers with texts.
        linear: whether the head is one linear layer, without a dense layer before it.
        constrained: whether the head's last layer is kept 1-Lipschitz (R4F).
    """

    activated: int
    per_token: int
    products: int
    cost: float
    trainable: int
    skills: list[str]
    language: str
    head: str
    linear: bool
    constrained: bool


@dataclass(frozen=True)
class Description:
    """A model in numbers.

    Attributes:
        parameters: ``total``, each group of ``GROUPS``, and of the experts those ``experts_added`` to the dense model,
            which has one network a layer; ``trainable`` of the total.
        relative: to one dense encoder (with its decoder, where it has one), heads left out on both sides, as CA-MTL's
            tables 3.2 and 3.4 count: ``encoder_total``, all parameters of this encoder (1: the dense one), and
            ``trainable_per_corpus``, the trainable ones divided by the number of corpora.
        corpora: by name.
    """

    parameters: Mapping[str, int]
    relative: Mapping[str, float]
    corpora: Mapping[str, CorpusDescription]

    @property
    def stacks(self) -> str:
        """What a dense model consists of beside heads."""
        return "encoder and decoder" if self.parameters["decoder"] else "encoder"

    @property
    def skills(self) -> list[str]:
        """The task skills that corpora activate."""
        return list(dict.fromkeys(skill for corpus in self.corpora.values() for skill in corpus.skills))

    @property
    def has_heads(self) -> bool:
        """Whether a corpus is answered by a head."""
        return any(corpus.head for corpus in self.corpora.values())

    @property
    def has_costs(self) -> bool:
        """Whether a token of some corpus costs more than in the dense model, as it is shown."""
        return any(show_cost(corpus) != "1.00x" for corpus in self.corpora.values())

    @property
    def has_experts(self) -> bool:
        """Whether a token uses a part of what its corpus activates."""
        return any(corpus.per_token < corpus.activated for corpus in self.corpora.values())

    def to_json(self) -> dict[str, Any]:
        """Plain values, under the names that scripts rely on."""
        return {
            "parameters": dict(self.parameters),
            "relative_to_one_encoder": dict(self.relative),
            "corpora": {name: asdict(corpus) for name, corpus in self.corpora.items()},
        }

    def tables(self) -> list[Table]:
        """Parameters, and the skill map: of what the model has."""
        counts = Table(title="parameters", title_justify="left")
        counts.add_column("part")
        counts.add_column("number", justify="right")
        for part, number in self.parameters.items():
            if number or part == "trainable":
                counts.add_row(PARTS.get(part, part), f"{number:,}")
        counts.add_row(f"{self.stacks}, relative to one dense {self.stacks}", f"{self.relative['encoder_total']:.2f}x")
        counts.add_row("of it trainable, a corpus", f"{self.relative['trainable_per_corpus']:.1%}")
        corpora = Table(title="corpora", title_justify="left")
        for column in ("corpus", "language", *["head"] * self.has_heads):
            corpora.add_column(column, no_wrap=True)
        for skill in self.skills:
            corpora.add_column(skill, justify="center", no_wrap=True)
        for column in ("activated", *["per token"] * self.has_experts, "trainable", *["FLOPs"] * self.has_costs):
            corpora.add_column(column, justify="right", no_wrap=True)
        if self.has_costs:
            corpora.caption, corpora.caption_justify = f"FLOPs: {COST}", "left"
        for name, corpus in self.corpora.items():
            notes = ["linear"] * corpus.linear + ["R4F"] * corpus.constrained
            head = corpus.head + (f" ({', '.join(notes)})" if notes else "")
            marks = ["x" if skill in corpus.skills else "" for skill in self.skills]
            numbers = (corpus.activated, *[corpus.per_token] * self.has_experts, corpus.trainable)
            corpora.add_row(
                name, corpus.language, *[head] * self.has_heads, *marks, *(f"{number:,}" for number in numbers),
                *[show_cost(corpus)] * self.has_costs,
            )  # fmt: skip
        return [counts, corpora]


def show_cost(corpus: CorpusDescription) -> str:
    """How many times the dense model's cost a token has."""
    return f"{corpus.cost:.2f}x"


def make_options_table(options: Mapping[str, Any]) -> list[Table]:
    """The options that a model was made with, by name; none where there are none."""
    table = Table(title="options", title_justify="left")
    table.add_column("option", no_wrap=True)
    table.add_column("value")
    for name, value in options.items():
        table.add_row(flag_of(name), "" if value is True else str(value))
    return [table] if options else []


def describe_bundle(bundle: Bundle) -> Description:
    """Counts the parameters of the model that a bundle tells of, without making it.

    Raises:
        InputError: there is no such model.
    """
    with damage_named(bundle.file), torch.device("meta"), NoFreshWeights():  # only sizes are read
        model = build_model(bundle)
    corpora = {name: (bundle.active_set(name), bundle.corpus(name).head) for name in bundle.labels}
    return describe_model(model, corpora)


def describe_model(model: nn.Module, corpora: Mapping[str, tuple[ActiveSet, str]]) -> Description:
    """Counts the parameters of a ``MultitaskModel``.

    Args:
        model: may live on torch's meta device, since only sizes are read.
        corpora: by name, what each activates and its head.
    """
    parameters = dict(model.named_parameters())
    heads = dict(model.get_submodule("heads").named_children())
    skills = {skill_of(name) for name in parameters if skill_table_of(name) == "task_skills"}
    layers = [module for module in model.modules() if isinstance(module, ExpertFeedForward)]
    resting = [(layer.experts["0"], len(layer.experts) - layer.per_token) for layer in layers]
    idle = sum(_size(expert) * number for expert, number in resting)
    idle_products = sum(_size(expert, dimensions=2) * number for expert, number in resting)
    dense_products = _count_products({dense_name(name): p for name, p in parameters.items() if is_base(name)})
    described = {}
    for corpus, (active, named) in corpora.items():
        head = named if named in heads else ""
        used = {name: p for name, p in parameters.items() if is_active(name, active, head)}
        products = _count_products(used) - idle_products
        described[corpus] = CorpusDescription(
            activated=_count(used),
            per_token=_count(used) - idle,
            products=products,
            cost=products / dense_products,
            trainable=_count(_trainable(used)),
            skills=[skill for skill in active.skills if skill in skills],
            language=active.language,
            head=head,
            linear=isinstance(heads.get(head), LinearHead),
            constrained=isinstance(getattr(heads.get(head), "out_proj", None), SpectralLinear),
        )
    return Description(_count_groups(parameters, layers), _relative_sizes(parameters, len(corpora)), described)


def _count_groups(parameters: Parameters, layers: Sequence[ExpertFeedForward]) -> dict[str, int]:
    """``Description.parameters``; ``layers`` are those that have experts."""
    counts = {"total": _count(parameters)}
    for group in GROUPS:
        counts[group] = _count({name: p for name, p in parameters.items() if group_of(name) == group})
    counts["experts_added"] = sum(_base_size(layer.experts) - _base_size(layer.experts["0"]) for layer in layers)
    counts["trainable"] = _count(_trainable(parameters))
    return counts


def _relative_sizes(parameters: Parameters, corpora: int) -> dict[str, float]:
    """``Description.relative``."""
    encoder = {name: p for name, p in parameters.items() if group_of(name) != "heads"}
    # all copies of a pretrained parameter have the name of one
    dense = _count({dense_name(name): p for name, p in encoder.items() if is_base(name)})
    return {
        "encoder_total": _count(encoder) / dense,
        "trainable_per_corpus": _count(_trainable(encoder)) / (dense * max(1, corpora)),
    }


def _trainable(parameters: Parameters) -> Parameters:
    return {name: p for name, p in parameters.items() if p.requires_grad}


def _count(parameters: Parameters) -> int:
    return sum(p.numel() for p in parameters.values())


def _count_products(parameters: Parameters) -> int:
    return sum(p.numel() for name, p in parameters.items() if is_product(name) and p.dim() == 2)


def _size(module: nn.Module, dimensions: int | None = None) -> int:
    return sum(p.numel() for p in module.parameters() if dimensions is None or p.dim() == dimensions)


def _base_size(module: nn.Module) -> int:
    return sum(p.numel() for name, p in module.named_parameters() if group_of(name) != "adapters")
