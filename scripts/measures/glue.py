"""How long GLUE's sentences are and which skills they activate, for made texts of the same lengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class GlueCorpus:
    """A corpus.

    Attributes:
        mean, deviation: of tokens, up to 128, in samples of its training set under an English WordPiece.
        skills: those that it activates in SkillNet's way.
        pair: whether its texts are pairs.
    """

    mean: float
    deviation: float
    skills: tuple[str, ...]
    pair: bool = True


_PAIR = ("generic", "sentence", "interact")
GLUE = {
    "rte": GlueCorpus(74.2, 32.9, _PAIR),
    "mrpc": GlueCorpus(59.9, 14.3, _PAIR),
    "stsb": GlueCorpus(32.6, 15.4, _PAIR),
    "cola": GlueCorpus(12.6, 4.5, ("generic", "sentence"), pair=False),
    "sst2": GlueCorpus(27.3, 12.8, ("generic", "sentence", "sentiment"), pair=False),
    "qnli": GlueCorpus(57.6, 20.8, (*_PAIR, "question")),
    "qqp": GlueCorpus(33.2, 13.1, (*_PAIR, "question")),
    "mnli": GlueCorpus(45.5, 20.5, _PAIR),
}


def draw_lengths(sentences: int = 4000) -> dict[str, NDArray[np.int64]]:
    """Tokens of so many sentences of each corpus, log-normal with GLUE's means and deviations, 8 to 128."""
    random, found = np.random.default_rng(0), {}
    for name, corpus in GLUE.items():
        variance = np.log(1 + (corpus.deviation / corpus.mean) ** 2)
        lengths = random.lognormal(np.log(corpus.mean) - variance / 2, np.sqrt(variance), sentences)
        found[name] = np.clip(np.rint(lengths), 8, 128).astype(np.int64)
    return found
