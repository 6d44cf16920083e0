"""What one forward pass does otherwise than a plain one."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.nn.noise import Noise


@dataclass(frozen=True)
class PassOptions:
    """Beside the batch, which says what is read and not how.

    Attributes:
        noise: on the embeddings; None for none.
        same_dropout: the copies of a batch that holds some are dropped the same elements, rather than each its own.
    """

    noise: Noise | None = None
    same_dropout: bool = True


PLAIN = PassOptions()
