"""The options of sampling: what they say, and which of them do not go together."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import kind_named
from skill_plugin.options.allowed_values import Range
from skill_plugin.options.corpus_weights import parse_weights
from skill_plugin.sampling.rules import RULES
from skill_plugin.sampling.sampler import Sampler
from skill_plugin.spec.corpus import Corpus

ALPHA = Range(0, 10)  # beyond it, the largest corpus alone would be drawn


def make_sampler(task: Any, trained: Sequence[Corpus]) -> Sampler | None:
    """How the run draws corpora; None for uncertainty sampling.

    Args:
        task: options of the task.
        trained: the corpora with a train split, in order.

    Raises:
        InputError: an option that cannot be read or does not fit the others.
    """
    names = [corpus.name for corpus in trained]
    sampling, cap = str(task.corpus_sampling), task.sampling_cap
    weights = read_sampling_weights(task.sampling_weights, names)
    alphas = read_alphas(task.sampling_alpha)
    rule = RULES[sampling]
    if cap is not None and not rule.by_size:
        raise InputError(f"--sampling-cap {cap}: with --sampling {sampling} sizes do not count; leave it out")
    if rule.weigh is None:
        _refuse_with_uncertainty("sampling-weights", task.sampling_weights)
        _refuse_with_uncertainty("sampling-cap", cap)
        _refuse_with_uncertainty("mlm-batch-share", task.mlm_batch_share)
        return None
    if alphas[0] != alphas[1]:
        if not rule.moves_alpha:
            hint = "one number" if rule.has_alpha else f"nothing with --sampling {sampling}"
            message = f"--sampling-alpha {task.sampling_alpha}: expected {hint}; --sampling annealed moves alpha"
            raise InputError(message)
        if not task.max_update > 0:
            last = task.sampling_alpha.split(":")[1]
            raise InputError(f"--sampling {sampling} needs --max-update, where alpha {last} is reached")
    return Sampler(
        sampling,
        alphas,
        task.max_update,
        cap,
        tuple(weights.get(name, 1.0) for name in names) if weights else None,
        _auxiliary(task.mlm_batch_share, trained),
        task.mlm_batch_share or 0.0,
    )


def _refuse_with_uncertainty(option: str, value: Any) -> None:
    if value:
        raise InputError(f"--{option} {value}: --sampling uncertainty chooses by the model alone; leave it out")


def _auxiliary(share: float | None, trained: Sequence[Corpus]) -> tuple[bool, ...] | None:
    """Which corpora ``--mlm-batch-share`` is of."""
    if share is None:
        return None
    masked = tuple(kind_named(corpus.kind).masks for corpus in trained)
    if not any(masked):
        raise InputError(f"--mlm-batch-share {share}: no masked_lm corpus has training data")
    if all(masked):
        raise InputError(f"--mlm-batch-share {share}: no corpus but masked_lm ones has training data; leave it out")
    return masked


def read_alphas(text: str) -> tuple[float, float]:
    """``--sampling-alpha``: ``0.4``, or ``1.0:0.4`` for the first epoch and the last.

    Raises:
        InputError: neither.
    """
    alphas = [_number(part) for part in str(text).split(":")]
    if len(alphas) > 2 or any(alpha not in ALPHA for alpha in alphas):
        raise InputError(f"--sampling-alpha {text}: expected a number of {ALPHA}, or FIRST:LAST as 1.0:0.4")
    return alphas[0], alphas[-1]


def read_sampling_weights(text: str, corpora: Collection[str]) -> dict[str, float]:
    """``--sampling-weights``: ``rte=2,mnli=0.5``.

    Raises:
        InputError: see ``parse_weights``; or a weight of 0.
    """
    weights = parse_weights(text, corpora, "--sampling-weights", "has training data")
    for name, weight in weights.items():
        if weight == 0:
            raise InputError(f"--sampling-weights {name}=0: expected more than 0; --only-corpora leaves corpora out")
    return weights


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
