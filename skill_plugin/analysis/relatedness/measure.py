"""How near corpora are by their embeddings, and which one each had best learn from (thesis, section 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

K = 60  # of reciprocal rank fusion (Cormack et al., 2009)
MEASURES = ("text", "task", "both")
TEXT = "text"  # the component that TextEmb is among those of TaskEmb

Vector = NDArray[np.float64]
Embeddings = Mapping[str, Mapping[str, Vector]]  # corpus -> component -> vector


class Source(NamedTuple):
    """A corpus that a target may learn from.

    Attributes:
        corpus: its name.
        score: RRF(s) = Σ_c 1 / (60 + r_c) over components; where TextEmb alone is asked, the cosine.
    """

    corpus: str
    score: float


def cosine(first: Vector, second: Vector) -> float:
    """The cosine of the angle between two vectors of one size, neither of them zero."""
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second)))


def comparable(embeddings: Embeddings) -> tuple[list[str], list[str]]:
    """The components that every corpus has, in one size and not all zero, and the others.

    A component that some corpora lack could not rank them, and would favour those that have it.
    """
    names = list(dict.fromkeys(name for one in embeddings.values() for name in one))
    kept = []
    for name in names:
        vectors = [one[name] for one in embeddings.values() if name in one]
        alike = len(vectors) == len(embeddings) and len({len(vector) for vector in vectors}) == 1
        if alike and all(vector.any() for vector in vectors):
            kept.append(name)
    return kept, [name for name in names if name not in kept]


def rank_sources(target: str, embeddings: Embeddings, components: Sequence[str]) -> list[Source]:
    """All other corpora, the best first: ranked by the cosine of each component, ranks joined by RRF.

    Args:
        target: name of a corpus.
        embeddings: of all corpora, with all the components.
        components: names of those that count.
    """
    sources = [name for name in embeddings if name != target]
    scores = dict.fromkeys(sources, 0.0)
    for component in components:
        near = {name: cosine(embeddings[name][component], embeddings[target][component]) for name in sources}
        for rank, name in enumerate(sorted(sources, key=lambda one: -near[one]), 1):
            scores[name] += 1 / (K + rank)
    return [Source(name, scores[name]) for name in sorted(sources, key=lambda one: -scores[one])]


def rank_by_text(target: str, embeddings: Embeddings) -> list[Source]:
    """All other corpora by the cosine of TextEmb, the nearest first."""
    sources = [name for name in embeddings if name != target]
    near = {name: cosine(embeddings[name][TEXT], embeddings[target][TEXT]) for name in sources}
    return [Source(name, near[name]) for name in sorted(sources, key=lambda one: -near[one])]


@dataclass(frozen=True, eq=False)
class Relatedness:
    """Which corpora each target had best learn from.

    Attributes:
        by: which of ``MEASURES`` decides.
        examples: how many of each corpus were read.
        embeddings: of TextEmb, under the component ``text``, and of TaskEmb, as far as they were asked for.
        models: the checkpoint of each corpus that TaskEmb is of.
        targets: names of the targets; None for all corpora.
    """

    by: str
    examples: Mapping[str, int]
    embeddings: Embeddings
    models: Mapping[str, str] = field(default_factory=dict)
    targets: Sequence[str] | None = None

    def __post_init__(self) -> None:
        kept, left_out = comparable(self.embeddings)
        vars(self).update(components=kept, left_out=left_out)

    components: Sequence[str] = field(init=False)
    left_out: Sequence[str] = field(init=False)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that it has, the one that decides last."""
        return MEASURES if self.by == "both" else (self.by,)

    def sources(self, target: str, measure: str) -> list[Source]:
        """All other corpora by one of the measures, the best first."""
        if measure == "text":
            return rank_by_text(target, self.embeddings)
        components = [one for one in self.components if measure == "both" or one != TEXT]
        return rank_sources(target, self.embeddings, components)

    @property
    def best(self) -> dict[str, str]:
        """The best source of each target."""
        targets = self.embeddings if self.targets is None else self.targets
        return {target: self.sources(target, self.by)[0].corpus for target in targets}

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        names = list(self.embeddings)
        pairs = {
            component: [
                [cosine(self.embeddings[one][component], self.embeddings[other][component]) for other in names]
                for one in names
            ]
            for component in self.components
        }
        return {
            "by": self.by,
            "examples": dict(self.examples),
            "models": dict(self.models),
            "components": list(self.components),
            "components_left_out": list(self.left_out),
            "targets": {
                target: {m: [one._asdict() for one in self.sources(target, m)] for m in self.measures}
                for target in self.best
            },
            "best": self.best,
            "corpora": names,
            "cosines": pairs,
        }
