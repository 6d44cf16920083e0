"""How alike the covariances of corpora are at the input of the first layer (CA-MTL, section 3.5.2, equation 3.7).

Axes: C corpora, D features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

KEPT = 0.99  # share of the sum of singular values that a rank must contain


def factor(gram: Matrix, kept: float = KEPT) -> Matrix:
    """U_r D_r^(1/2) of the best rank-r approximation U_r D_r U_r^T of X^T X [D, D] -> [D, r] (steps a and b).

    r is the smallest rank whose singular values add up to the share ``kept`` of all.
    """
    values, vectors = np.linalg.eigh(gram)  # those of a symmetric matrix without negative ones are its singular values
    values, vectors = values[::-1].clip(min=0.0), vectors[:, ::-1]
    sums = values.cumsum()
    rank = min(int(np.searchsorted(sums, kept * sums[-1])) + 1, len(values))
    return np.asarray(vectors[:, :rank] * np.sqrt(values[:rank]), np.float64)


def covariance_similarity(first: Matrix, second: Matrix) -> float:
    """CovSim of two factors [D, r_i] and [D, r_j]: |F_i^T F_j| / (|F_i| |F_j|) in Frobenius norms (equation 3.7)."""
    return float(np.linalg.norm(first.T @ second) / (np.linalg.norm(first) * np.linalg.norm(second)))


@dataclass(frozen=True, eq=False)
class CovarianceSimilarity:
    """How alike the corpora are under one model.

    Attributes:
        file: where it was read.
        ranks: r of each corpus.
        scores: similarity of every two corpora [C, C]; the diagonal, which means nothing, is 1.
    """

    file: str
    ranks: tuple[int, ...]
    scores: Matrix

    @classmethod
    def of(cls, file: str, grams: Sequence[Matrix]) -> CovarianceSimilarity:
        """From X^T X [D, D] of each corpus."""
        factors = [factor(gram) for gram in grams]
        scores = np.ones((len(factors), len(factors)))
        for i, first in enumerate(factors):
            for j, second in enumerate(factors[:i]):
                scores[i, j] = scores[j, i] = covariance_similarity(first, second)
        return cls(file, tuple(one.shape[1] for one in factors), scores)

    @property
    def means(self) -> Matrix:
        """CovSim_i of each corpus: the mean over the others [C]."""
        return np.asarray((self.scores.sum(1) - 1) / (len(self.scores) - 1), np.float64)


@dataclass(frozen=True, eq=False)
class CovarianceComparison:
    """The similarities under several models, over the same sequences.

    Attributes:
        split: train, valid or test.
        tokens: how many tokens each corpus has, by name, special ones included; the rows of X.
        models: the similarities under each model, by title, such as ``before`` and ``after``.
    """

    split: str
    tokens: Mapping[str, int]
    models: Mapping[str, CovarianceSimilarity]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "split": self.split,
            "kept": KEPT,
            "tokens": dict(self.tokens),
            "models": {
                title: {
                    "file": model.file,
                    "ranks": dict(zip(self.tokens, model.ranks, strict=True)),
                    "mean": dict(zip(self.tokens, model.means.tolist(), strict=True)),
                    "similarity": model.scores.tolist(),
                }
                for title, model in self.models.items()
            },
        }
