"""Which modules each token of a pack activates, as tensors on its device: the same for all layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.grouped.dispatch import Dispatch
from skill_plugin.nn.on_device import on_device


@dataclass(frozen=True, eq=False)
class Activation:
    """Which of K modules, known by name, each of N tokens activates.

    Attributes:
        names: names of the modules.
        columns: the numbers of those that a token activates [N, k], int64; K in place of those that it lacks to k.
        rows: at least the number of pairs of a token and a module that it activates; None where each token activates k.
    """

    names: tuple[str, ...]
    columns: Tensor
    rows: int | None

    @cached_property
    def dispatch(self) -> Dispatch:
        """The tokens in the order of the modules."""
        return Dispatch(self.columns, len(self.names), self.rows)

    @cached_property
    def present(self) -> Tensor:
        """1 for a module that a token activates, 0 for one that it lacks [N, k], float32."""
        return (self.columns < len(self.names)).float()

    @cached_property
    def shares(self) -> Tensor:
        """1 over the number of modules that a token activates [N, 1], float32."""
        return self.present.sum(1, keepdim=True).reciprocal()

    def and_also(self, other: Activation) -> Activation:
        """What a token activates of either, the modules of the other numbered after the own ones."""
        own, theirs = len(self.names), len(other.names)
        shifted = other.columns + own
        first = self.columns.where(self.columns < own, own + theirs)
        columns = torch.cat([first, shifted], 1)
        if self.rows is None and other.rows is None:
            return Activation((*self.names, *other.names), columns, None)
        rows = sum(one.columns.numel() if one.rows is None else one.rows for one in (self, other))
        return Activation((*self.names, *other.names), columns, rows)


@dataclass(frozen=True)
class SegmentChoices:
    """Which of K modules each segment activates, on the host.

    Attributes:
        names: names of the modules, in the order in which segments name them first.
        numbers: for each segment the numbers of its modules among them.
    """

    names: tuple[str, ...]
    numbers: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, active: Sequence[ActiveSet], part: str) -> SegmentChoices:
        """What the segments choose by one part of their active sets: skills, language, gate or embedding."""
        chosen = [(found,) if isinstance(found := getattr(one, part), str) else tuple(found) for one in active]
        names = tuple(dict.fromkeys(name for names in chosen for name in names))
        number = {name: index for index, name in enumerate(names)}
        return cls(names, tuple(tuple(number[name] for name in names) for names in chosen))

    def table(self, width: int, absent: int) -> list[list[int]]:
        """A row of ``width`` numbers for each segment, filled up with ``absent``."""
        return [[*row, *[absent] * (width - len(row))] for row in self.numbers]

    def pairs(self, lengths: Sequence[int]) -> int:
        """How many pairs of a token and a module there are, for segments of these numbers of tokens."""
        return sum(length * len(row) for length, row in zip(lengths, self.numbers, strict=True))

    @property
    def most(self) -> int:
        """The most that one segment activates."""
        return max(map(len, self.numbers))


class Activations:
    """What the tokens of a pack activate.

    Args:
        active: what each of G segments activates.
        lengths: tokens of each segment; they add up to N.
        device: device of the pack.
    """

    def __init__(self, active: Sequence[ActiveSet], lengths: Sequence[int], device: torch.device) -> None:
        self._active, self._lengths, self._device = active, lengths, device

    @cached_property
    def of_tokens(self) -> Tensor:
        """The number of each token's segment [N], int64."""
        lengths = torch.tensor(self._lengths)
        return on_device(torch.arange(len(lengths)).repeat_interleave(lengths), self._device)

    @cached_property
    def skills(self) -> Activation:
        """Task skills."""
        return self._of("skills")

    @cached_property
    def language(self) -> Activation:
        """Language skills, one a token."""
        return self._of("language")

    @cached_property
    def skills_and_language(self) -> Activation:
        """Both, the task skills first."""
        return self.skills.and_also(self.language)

    @cached_property
    def gate(self) -> Activation:
        """Gates, one a token."""
        return self._of("gate")

    @cached_property
    def embedding(self) -> Activation:
        """Task embeddings, one a token."""
        return self._of("embedding")

    def _of(self, part: str) -> Activation:
        choices = SegmentChoices.of(self._active, part)
        pairs, most, names = choices.pairs(self._lengths), choices.most, choices.names
        table = on_device(torch.tensor(choices.table(most, absent=len(names)), dtype=torch.int64), self._device)
        columns = table.index_select(0, self.of_tokens)
        return Activation(names, columns, pairs if pairs < columns.numel() else None)
