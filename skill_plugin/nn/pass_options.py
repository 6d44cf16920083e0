"""What one forward pass does otherwise than a plain one."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.nn.noise import Noise


@dataclass(frozen=True)
class PassOptions:
    """How a batch is read; what is read is the batch's to say.

    Attributes:
        noise: noise on the embeddings; None for none.
        same_dropout: whether dropout takes the same elements of every copy of a batch, or draws anew for each copy.
    """

    noise: Noise | None = None
    same_dropout: bool = True


PLAIN = PassOptions()
