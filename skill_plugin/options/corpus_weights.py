"""Weights of corpora, as options of the command line have them."""

from __future__ import annotations

import math
from collections.abc import Collection

from skill_plugin.errors import InputError, nearest


def parse_weights(text: str, corpora: Collection[str], option: str, which: str) -> dict[str, float]:
    """Weights written as ``rte=2,mnli=0.5``.

    Args:
        text: may be empty.
        corpora: those that may have one.
        option: where it is written, for messages.
        which: what those corpora do that may have one, for messages, as ``has training data``.

    Raises:
        InputError: not written so, another corpus, one that is named twice, or a weight below 0.
    """
    weights: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        corpus, equals, number = (piece.strip() for piece in part.partition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not equals or not math.isfinite(weight) or weight < 0:
            raise InputError(f"{option} {part}: expected CORPUS=WEIGHT with a weight of 0 or more, as rte=2,mnli=0.5")
        if corpus not in corpora:
            raise InputError(f"{option}: {corpus!r} is no corpus that {which}{nearest(corpus, corpora)}")
        if corpus in weights:
            raise InputError(f"{option}: {corpus!r} is named twice")
        weights[corpus] = weight
    return weights
