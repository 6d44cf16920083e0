"""An exported model, as its own program runs it.

Axes: U units of an example, C outputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor

from skill_plugin.readers.example import Example


class Exported(ABC):
    """What runs an exported folder."""

    @abstractmethod
    def logits(self, example: Example) -> Tensor:
        """What the head gives for an example [U, C], float32, from its texts."""

    def reads(self, example: Example) -> bool:
        """Whether it reads as much of an example's texts as the trained model does."""
        return True

    def cut_out(self, example: Example) -> tuple[int, int] | None:
        """First character of the answer and one past its last, where it is cut out of a text; else None."""
        return None

    def rounded_by(self) -> float:
        """The size of what the last logits are differences of, and were rounded by; 0 where a head gives them."""
        return 0.0


def texts_of(example: Example, joined: bool) -> list[tuple[str, ...]]:
    """The texts of each sequence of an example: of one, or of one for each candidate.

    Args:
        example: the example.
        joined: whether the texts of a query are one, with a space between.
    """
    texts = (" ".join(example.texts),) if joined and example.candidates else example.texts
    return [(*texts, candidate) for candidate in example.candidates] or [texts]
