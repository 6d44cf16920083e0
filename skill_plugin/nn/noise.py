"""Noise on the token embeddings (R3F), so small that half precision would round it away."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from skill_plugin.nn.compute_dtype import compute_dtype

# Of the square root of the type's eps, at which a numerical derivative loses as much to rounding as to curvature:
# 0.044 for bfloat16, 0.016 for float16. On random encoders of 2 to 12 layers divergences were then within 20 % and 6 %
# of float64's; a step four times smaller doubled them by rounding, one four times larger took a third off some.
RELATIVE_STEP = 0.5


@dataclass
class Noise:
    """What is added to the embeddings of a pack's tokens before they are normalised.

    Attributes:
        values: [N, D], float32; zeros for tokens that get none.
        deviation: standard deviation of the distribution that the others are drawn from.
        magnification: s >= 1, by which the values were multiplied when they were added; a scalar, set then.
    """

    values: Tensor
    deviation: float
    magnification: Tensor | None = None

    def to(self, device: torch.device) -> Noise:
        """The same noise on a device, not yet added."""
        return Noise(self.values.to(device), self.deviation)

    def added_to(self, x: Tensor) -> Tensor:
        """x + s z, for embeddings x and noise z: [N, D] -> [N, D] in the type of x.

        In float32 s is 1. Half precision rounds every activation, by more than a noise of 1e-5 moves it: with s = 1 the
        divergence of the two passes was that of their rounding, in bfloat16 some 200 to 5,000 times that of the noise.
        There s raises the noise to a fixed part of the embeddings' deviation, which normalisation divides by. So
        small a noise moves the outputs in proportion and their divergence quadratically: that of z is that of s z
        divided by s^2. Noise that is larger by itself stays as it is.
        """
        dtype = compute_dtype(x)
        exact = x.to(torch.promote_types(x.dtype, torch.float32))
        self.magnification = torch.ones((), device=x.device)
        if torch.finfo(dtype).bits < 32:
            spread = exact.detach().var(-1, unbiased=False).mean().sqrt()
            step = RELATIVE_STEP * torch.finfo(dtype).eps ** 0.5
            self.magnification = (step * spread / self.deviation).clamp(min=1.0)
        return (exact + self.magnification * self.values).to(x.dtype)
