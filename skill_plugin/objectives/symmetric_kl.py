"""How far two distributions are apart, also where they are nearly the same."""

from __future__ import annotations

import torch
from torch import Tensor


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
