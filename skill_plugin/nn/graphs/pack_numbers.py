"""Where sequences and segments of a padded pack lie, and what the segments activate, as numbers on the device."""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from skill_plugin.nn.activation import Activation, Activations, SegmentChoices
from skill_plugin.nn.fixed_layout import FixedLayout
from skill_plugin.nn.graphs.pack_sizes import PARTS, Capacity, PackSizes, round_up
from skill_plugin.nn.packed_batch import PackedBatch

ROWS = 64  # of which the number of pairs of a token and a task skill is a multiple


def write_numbers(
    batch: PackedBatch, choices: dict[str, SegmentChoices], sizes: PackSizes, capacity: Capacity
) -> list[int]:
    """All that layers need to know of a pack: S + 1 offsets, G ends of segments, then G rows for each part."""
    offsets = [0]
    for length in batch.lengths:
        offsets.append(offsets[-1] + length)
    while offsets[-1] < sizes.tokens:
        offsets.append(min(offsets[-1] + sizes.longest, sizes.tokens))
    offsets += [sizes.tokens] * (sizes.sequences + 1 - len(offsets))
    ends = [segment.end for segment in batch.segments[:-1]]
    ends += [sizes.tokens] * (sizes.segments - len(ends))
    numbers = offsets + ends
    for part in PARTS:
        width, absent = _width(part, capacity), capacity.of(part)
        table = choices[part].table(width, absent)
        table += [table[-1]] * (sizes.segments - len(table))
        numbers += [number for row in table for number in row]
    return numbers


def _width(part: str, capacity: Capacity) -> int:
    return capacity.skills if part == "skills" else 1


class FixedActivations(Activations):
    """Activations whose shapes follow from sizes and capacity alone.

    Args:
        numbers: what ``write_numbers`` gave, int64, on the device.
        names: of each part, as many names as the capacity has.
        sizes, capacity: those that the numbers were written for.
    """

    def __init__(
        self, numbers: Tensor, names: dict[str, tuple[str, ...]], sizes: PackSizes, capacity: Capacity
    ) -> None:
        self._sizes, self._capacity, self._names = sizes, capacity, names
        widths = [_width(part, capacity) for part in PARTS]
        parts = numbers.split([sizes.sequences + 1, sizes.segments, *(sizes.segments * width for width in widths)])
        self._offsets, self._ends = parts[:2]
        self._tables = {part: one.view(sizes.segments, -1) for part, one in zip(PARTS, parts[2:], strict=True)}

    @cached_property
    def of_tokens(self) -> Tensor:
        """As of all activations."""
        tokens = torch.arange(self._sizes.tokens, device=self._ends.device)
        return torch.searchsorted(self._ends, tokens, right=True)

    def layout(self) -> FixedLayout:
        """Where the sequences lie."""
        return FixedLayout(self._offsets.to(torch.int32), self._sizes.longest, self._sizes.tokens)

    def _of(self, part: str) -> Activation:
        columns = self._tables[part].index_select(0, self.of_tokens)
        if part != "skills" or columns.shape[1] == 1:
            return Activation(self._names[part], columns, None)
        rows = round_up(self._sizes.tokens * self._capacity.quarters // 4, ROWS)
        return Activation(self._names[part], columns, min(rows, columns.numel()))
