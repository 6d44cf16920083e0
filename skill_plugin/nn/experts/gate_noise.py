"""Noise on a gate's logits, and the losses that keep experts busy with it (Shazeer et al. 2017)."""

from __future__ import annotations

import torch
from torch import Tensor

from skill_plugin.nn.experts.routing import NoisyLogits, Routing


def add_noise(clean: Tensor, deviation: Tensor, copies: int = 1) -> NoisyLogits:
    """H(x) with fresh noise z; the copies of the same tokens, one after the other, are given the same.

    Args:
        clean, deviation: as in ``NoisyLogits``.
        copies: how many copies of the same tokens there are.
    """
    noise = torch.randn_like(clean[: len(clean) // copies]).repeat(copies, 1)
    return NoisyLogits(clean, deviation, clean + noise * deviation)


def squared_variation(values: Tensor) -> Tensor:
    """CV(v)^2, the variance of some values over the square of their mean: [E] -> scalar; 0 where they are equal."""
    return values.var(unbiased=False) / values.mean().square()


def importance_loss(routing: Routing) -> Tensor:
    """CV(Importance)^2, where an expert's importance is the sum of its weights over the tokens (equations 6 and 7)."""
    experts = routing.logits.shape[-1]
    importance = routing.weights.new_zeros(experts)
    return squared_variation(importance.index_add(0, routing.experts.flatten(), routing.weights.flatten()))


def load_loss(noisy: NoisyLogits, routing: Routing) -> Tensor:
    """CV(Load)^2, where an expert's load is the sum over the tokens of the probability that it is chosen.

    P(x, i) is that of H(x)_i above the k-th greatest of the others, had its noise alone been drawn again (equations 8
    to 11): (x W_g)_i - kth_excluding(H(x), k, i), over the deviation of its noise, through the normal distribution.

    Args:
        noisy: logits of a layer whose tokens choose fewer experts than there are.
        routing: routing of the same layer.
    """
    k = routing.experts.shape[1]
    greatest = noisy.values.topk(k + 1, -1).values
    # without an expert that is among the k best, the (k + 1)-th is the k-th of the others
    among = noisy.values >= greatest[:, k - 1 : k]
    bound = torch.where(among, greatest[:, k:], greatest[:, k - 1 : k])
    return squared_variation(torch.special.ndtr((noisy.clean - bound) / noisy.deviation).sum(0))
