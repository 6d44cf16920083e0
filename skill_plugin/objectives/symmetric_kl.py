"""How far two distributions are apart, also where they are nearly the same."""

from __future__ import annotations

import torch
from torch import Tensor

from skill_plugin.objectives.ragged_rows import ragged_log_softmax, ragged_sums


def symmetric_kl_terms(log_p: Tensor, log_q: Tensor) -> Tensor:
    """(p - q) (log p - log q), whose sum over the outcomes is KL(p || q) + KL(q || p), natural logarithm.

    Each of the two divergences alone is a sum of terms of both signs that cancel but for their squares; here no term is
    below 0, and p - q = max(p, q) (1 - e^-|d|) with d = log p - log q neither cancels nor overflows.

    Args:
        log_p, log_q: log-probabilities of one shape, finite, as log-softmax gives them; never the logarithm of a
            probability that was rounded.

    Returns:
        The same shape.
    """
    difference = (log_p - log_q).abs()
    return torch.maximum(log_p, log_q).exp() * -torch.expm1(-difference) * difference


def row_divergences(clean: Tensor, noisy: Tensor) -> Tensor:
    """KL(p || q) + KL(q || p) of the softmax of each row: [U, C], any float type -> [U] float32."""
    return symmetric_kl_terms(clean.float().log_softmax(1), noisy.float().log_softmax(1)).sum(1)


def ragged_divergences(clean: Tensor, noisy: Tensor, sizes: Tensor) -> Tensor:
    """KL(p || q) + KL(q || p) of the softmax over the rows of each run, summed over columns.

    Args:
        clean, noisy: [U, K], any float type.
        sizes: rows of each run [R] int64, each at least 1; they add up to U.

    Returns:
        [R] float32.
    """
    terms = symmetric_kl_terms(ragged_log_softmax(clean, sizes), ragged_log_softmax(noisy, sizes))
    return ragged_sums(terms.sum(1), sizes)
