"""Which expert served how much of which corpus and language (MT-TaG, appendix A.3.2: whether experts are used evenly
without a balancing loss, and whether they specialise).

Axes: L layers that have experts, E experts of a layer, k experts of a token, C corpora.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

Floats = NDArray[np.float64]


def normalised_entropy(shares: Floats) -> Floats:
    """-sum_i p_i log p_i / log E of shares [..., E] that add up to 1 -> [...].

    0 where one expert serves all tokens, 1 where all serve equally many. A lone expert (E = 1) is used evenly. With k
    experts a token no share is above 1/k, and the least entropy is log k / log E.
    """
    experts = shares.shape[-1]
    if experts == 1:
        return np.ones(shares.shape[:-1])
    return np.asarray(entr(shares).sum(-1) / np.log(experts), np.float64)


def overlaps(shares: Floats) -> Floats:
    """sum_i min(p_i, q_i) = 1 - sum_i |p_i - q_i| / 2 for every two of C distributions [C, ..., E] -> [..., C, C].

    That is 1 less the total variation distance: 1 where two corpora use the experts alike, 0 where they share none.
    """
    return np.moveaxis(np.minimum(shares[:, None], shares[None]).sum(-1), (0, 1), (-2, -1))


def _shares(counts: NDArray[np.int64]) -> Floats:
    return np.asarray(counts / counts.sum(-1, keepdims=True), np.float64)


@dataclass(frozen=True, eq=False)
class CorpusUsage:
    """How one corpus uses the experts.

    Attributes:
        language: its language, as the corpora file has it.
        rows: how many rows were read.
        tokens: how many tokens their sequences have, special ones included; a token in two windows of a long text
            counts twice.
        counts: how many choices of its tokens fell on each expert [L, E]; each layer's add up to ``tokens`` k.
    """

    language: str
    rows: int
    tokens: int
    counts: NDArray[np.int64]

    @cached_property
    def shares(self) -> Floats:
        """Share of the choices that fell on each expert [L, E]; those of a layer add up to 1."""
        return _shares(self.counts)

    @property
    def entropy(self) -> Floats:
        """Normalised, by layer [L]."""
        return normalised_entropy(self.shares)


@dataclass(frozen=True, eq=False)
class GroupUsage:
    """Several corpora together: of one language, or all.

    Attributes:
        corpora: usage of each corpus by name, at least one.
    """

    corpora: Mapping[str, CorpusUsage]

    @property
    def tokens(self) -> int:
        """Tokens of all its corpora."""
        return sum(corpus.tokens for corpus in self.corpora.values())

    @property
    def counts(self) -> NDArray[np.int64]:
        """Choices of all its corpora [L, E]."""
        return np.asarray(np.sum([corpus.counts for corpus in self.corpora.values()], axis=0), np.int64)

    @cached_property
    def shares(self) -> Floats:
        """Over tokens [L, E]: a corpus counts as much as it has tokens."""
        return _shares(self.counts)

    @cached_property
    def even_shares(self) -> Floats:
        """The mean of the corpora's shares [L, E]: each counts the same."""
        return np.asarray(np.mean([corpus.shares for corpus in self.corpora.values()], axis=0), np.float64)

    @property
    def entropy(self) -> Floats:
        """Normalised, of ``shares`` [L]."""
        return normalised_entropy(self.shares)

    @property
    def even_entropy(self) -> Floats:
        """Normalised, of ``even_shares`` [L]."""
        return normalised_entropy(self.even_shares)


@dataclass(frozen=True, eq=False)
class ExpertUsage:
    """How a model's experts are used.

    Attributes:
        variant: name of the published model.
        split: train, valid or test.
        layers: numbers of the L layers, from 0 at the bottom of the encoder.
        per_token: k.
        corpora: usage of each corpus by name, at least one.
    """

    variant: str
    split: str
    layers: tuple[int, ...]
    per_token: int
    corpora: Mapping[str, CorpusUsage]

    @property
    def experts(self) -> int:
        """E."""
        return int(next(iter(self.corpora.values())).counts.shape[1])

    @cached_property
    def languages(self) -> dict[str, GroupUsage]:
        """The corpora of each language together."""
        groups: dict[str, dict[str, CorpusUsage]] = {}
        for name, corpus in self.corpora.items():
            groups.setdefault(corpus.language, {})[name] = corpus
        return {language: GroupUsage(corpora) for language, corpora in groups.items()}

    @cached_property
    def everything(self) -> GroupUsage:
        """All corpora together."""
        return GroupUsage(self.corpora)

    @cached_property
    def overlap(self) -> Floats:
        """Overlap of every two corpora by layer [L, C, C], see ``overlaps``."""
        return overlaps(np.stack([corpus.shares for corpus in self.corpora.values()]))

    @property
    def mean_overlap(self) -> Floats:
        """The mean over the layers [C, C]."""
        return np.asarray(self.overlap.mean(0), np.float64)

    def to_json(self) -> dict[str, Any]:
        """Plain values, under the names that scripts rely on; lists by layer are in the order of ``layers``."""
        corpora = {
            name: {"language": corpus.language, "rows": corpus.rows, **_usage_json(corpus)}
            for name, corpus in self.corpora.items()
        }
        return {
            "variant": self.variant,
            "split": self.split,
            "layers": list(self.layers),
            "experts": self.experts,
            "experts_per_token": self.per_token,
            "corpora": corpora,
            "languages": {language: _group_json(group) for language, group in self.languages.items()},
            "all": _group_json(self.everything),
            "overlap": {
                "corpora": list(self.corpora),
                "by_layer": self.overlap.tolist(),
                "mean": self.mean_overlap.tolist(),
            },
        }


def _usage_json(usage: CorpusUsage | GroupUsage) -> dict[str, Any]:
    arrays = {"counts": usage.counts, "shares": usage.shares, "entropy": usage.entropy}
    return {"tokens": usage.tokens, **{name: array.tolist() for name, array in arrays.items()}}


def _group_json(group: GroupUsage) -> dict[str, Any]:
    even = {"even_shares": group.even_shares.tolist(), "even_entropy": group.even_entropy.tolist()}
    return {"corpora": list(group.corpora), **_usage_json(group), **even}
