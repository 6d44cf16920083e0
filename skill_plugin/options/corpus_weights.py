"""Weights of corpora as they are written in an option of the command line."""

from __future__ import annotations

import math
from collections.abc import Collection

from skill_plugin.options.corpus_values import parse_values


def parse_weights(text: str, corpora: Collection[str], option: str, which: str) -> dict[str, float]:
    """Parses weights such as ``rte=2,mnli=0.5``; arguments as for ``parse_values``.

    Raises:
        InputError: as ``parse_values``, or a weight is below 0.
    """
    form = "CORPUS=WEIGHT with a weight of 0 or more, as rte=2,mnli=0.5"
    return parse_values(text, corpora, option, which, _weight, form)


def _weight(written: str) -> float | None:
    try:
        weight = float(written)
    except ValueError:
        return None
    return weight if math.isfinite(weight) and weight >= 0 else None
