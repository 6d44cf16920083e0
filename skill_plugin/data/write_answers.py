"""What a text-to-text model writes for the sequences of a pack."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import torch
from torch import Tensor

from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel


def write_answers(model: MultitaskModel, batch: PackedBatch, most: Sequence[int]) -> list[Tensor]:
    """The ids that are written for each segment's units, float32 [U, its most], -1 behind the end, on its device.

    Args:
        model: of text to text, in evaluation mode.
        batch: the pack.
        most: tokens of a text, for each segment.
    """
    assert isinstance(model, TextToTextModel)
    written = torch.full((len(batch.lengths), max(most)), -1.0)
    for row, ids in zip(written, model.generate(batch, max(most)), strict=True):
        row[: len(ids)] = ids
    device = batch.tokens.device
    written, starts = written.to(device), torch.tensor([0, *accumulate(batch.lengths[:-1])], device=device)
    return [written[torch.searchsorted(starts, units), :own] for units, own in zip(batch.units, most, strict=True)]
