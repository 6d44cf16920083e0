"""Weights of corpora as they are written in an option of the command line."""

from __future__ import annotations

import math
from collections.abc import Collection

from skill_plugin.errors import InputError, nearest


def parse_weights(text: str, corpora: Collection[str], option: str, which: str) -> dict[str, float]:
    """Parses weights such as ``rte=2,mnli=0.5``.

    Args:
        text: the value of the option; may be empty.
        corpora: the corpora that may have a weight.
        option: the option's name, for messages.
        which: what is true of these corpora, for messages, such as ``has training data``.

    Raises:
        InputError: the text has another form, names another corpus or one twice, or a weight is below 0.
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
