"""A pack together with the task embeddings of its segments."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.nn.conditional.condition import Condition
from skill_plugin.nn.packed_batch import PackedBatch


@dataclass(frozen=True, kw_only=True)
class ConditionedBatch(PackedBatch):
    """What the layers of a ``ConditionalEncoder`` are given beside x.

    Attributes:
        condition: looked up by the encoder.
    """

    condition: Condition

    @classmethod
    def of(cls, batch: PackedBatch, condition: Condition) -> ConditionedBatch:
        """The same batch and its task embeddings."""
        return cls(**batch.as_keywords(), condition=condition).with_places(batch.layout, batch.active)


def condition_of(batch: PackedBatch | None) -> Condition:
    """What modulates the modules that read a batch.

    Raises:
        TypeError: the batch has no task embeddings.
    """
    if not isinstance(batch, ConditionedBatch):
        raise TypeError("conditional modules need the batch's task embeddings, which ConditionalEncoder adds")
    return batch.condition
