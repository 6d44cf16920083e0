"""Attention over the sequences of a pack: what knows where sequences begin and end.

On CUDA in half precision a variable-length kernel takes the pack as it is; on the CPU with dropout each sequence is
attended to by itself; elsewhere sequences are laid out in padded views. What is added to the logits needs such a view
on every device.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from skill_plugin.nn.attention_kernels import has_variable_length_kernel, variable_length_attention
from skill_plugin.nn.dropout import by_copy, current_copies
from skill_plugin.nn.gather_rows import gather_rows
from skill_plugin.nn.logit_bias import AttentionBias
from skill_plugin.nn.on_device import on_device
from skill_plugin.nn.padded_view import PaddedView, group_by_length
from skill_plugin.nn.sequence_attention import sequence_attention, suits_sequence_attention


class SequenceLayout:
    """Where the S sequences of a pack of N tokens lie.

    Args:
        lengths: tokens of each sequence.
        device: device of the pack.
    """

    def __init__(self, lengths: Sequence[int], device: torch.device) -> None:
        self.lengths = torch.tensor(lengths, dtype=torch.int64)
        self.device = device
        self.longest = int(max(lengths))
        self._first_copies: dict[int, SequenceLayout] = {}

    def attend(
        self,
        qkv: Tensor,
        heads: int,
        probability: float,
        bias: AttentionBias | None = None,
        scale: float | None = None,
    ) -> Tensor:
        """Multi-head attention of every token to the tokens of its own sequence.

        Args:
            qkv: queries, keys and values side by side [N, 3 D].
            heads: H; each has D / H columns.
            probability: with which an attention weight is dropped, the same weights of each copy of ``share_masks``.
            bias: added to the logits.
            scale: logits are multiplied by it, where there is a bias; 1 / sqrt(D / H) by default.

        Returns:
            [N, D]
        """
        copy = self.attended(probability)
        if copy is not self:
            # the sequences of every copy have the same bias: its rows for the first copy are the first ones
            return by_copy(lambda part: copy._attend(part, heads, probability, bias, scale), current_copies(), qkv)
        return self._attend(qkv, heads, probability, bias, scale)

    def _attend(
        self, qkv: Tensor, heads: int, probability: float, bias: AttentionBias | None, scale: float | None
    ) -> Tensor:
        if bias is None and has_variable_length_kernel(qkv, heads):
            return variable_length_attention(qkv, heads, self.offsets, self.longest, probability)
        if bias is None and suits_sequence_attention(qkv, len(self.lengths), probability):
            return sequence_attention(qkv, heads, self.lengths.tolist(), probability)
        views, places = self._views
        if places is None:
            return views[0].attend(qkv, heads, probability, bias, scale)
        order, inverse = places
        parts = gather_rows(qkv, order, inverse).split([view.size for view in views])
        out = [view.attend(part, heads, probability, bias, scale) for view, part in zip(views, parts, strict=True)]
        return gather_rows(torch.cat(out), inverse, order)

    def attended(self, probability: float) -> SequenceLayout:
        """Of which layout attention with this dropout runs: that of each copy of ``share_masks``, or the whole one."""
        copies = current_copies()
        if probability == 0.0 or copies == 1:
            return self
        if copies not in self._first_copies:
            lengths = self.lengths[: len(self.lengths) // copies].tolist()
            self._first_copies[copies] = SequenceLayout(lengths, self.device)
        return self._first_copies[copies]

    @cached_property
    def offsets(self) -> Tensor:
        """Where the sequences begin, and where the last ends [S + 1], int32."""
        return on_device(F.pad(self.lengths.cumsum(0), (1, 0)).to(torch.int32), self.device)

    @property
    def first_tokens(self) -> Tensor:
        """The flat position of the first token of each sequence [S]; any token for one without tokens."""
        return self.offsets[:-1]

    @property
    def views(self) -> list[PaddedView]:
        """Padded views that together hold all sequences, each of sequences of similar length."""
        return self._views[0]

    @cached_property
    def _views(self) -> tuple[list[PaddedView], tuple[Tensor, Tensor] | None]:
        return group_by_length(self.lengths, self.device)
