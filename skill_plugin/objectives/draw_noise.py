"""R3F's noise: the same for the same examples at the same update of a run with the same seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

NOISES = ("uniform", "normal")


def noise_seed(seed: int, update: int, examples: Sequence[int]) -> int:
    """The seed of a batch's noise.

    A batch is known by its examples, not by its place in the run: whichever rank or micro-batch it comes to, and
    whether the run was stopped before it or not, its noise is the same.

    Args:
        seed: seed of the run.
        update: number of updates before this one.
        examples: numbers of the batch's examples, in order.
    """
    words = np.random.SeedSequence([seed, update, *examples]).generate_state(1, np.uint64)
    return int(words[0]) >> 1  # torch's seeds are signed


def draw_noise(kind: str, sigma: float, shape: Sequence[int], seed: int, device: torch.device) -> Tensor:
    """Independent draws from N(0, sigma^2) or U(-sigma, sigma) (R3F, section 3.1), float32.

    They depend on the device's kind, but on nothing else that was drawn.

    Args:
        kind: one of ``NOISES``.
        sigma: scale of the noise.
        shape: shape of the result.
        seed: from ``noise_seed``.
        device: device of the result.

    Raises:
        ValueError: an unknown kind.
    """
    generator = torch.Generator(device).manual_seed(seed)
    values = torch.empty(tuple(shape), device=device)
    match kind:
        case "uniform":
            return values.uniform_(-sigma, sigma, generator=generator)
        case "normal":
            return values.normal_(0.0, sigma, generator=generator)
    raise ValueError(f"unknown noise {kind!r}, expected one of: {', '.join(NOISES)}")


def deviation(kind: str, sigma: float) -> float:
    """Standard deviation of the draws of ``draw_noise``."""
    return sigma / 3**0.5 if kind == "uniform" else sigma
