"""Attention over the sequences of a pack where only the device knows where they lie, as in a CUDA graph."""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from skill_plugin.nn.attention_kernels import has_variable_length_kernel, padded_attention, variable_length_attention
from skill_plugin.nn.gather_rows import gather_rows
from skill_plugin.nn.logit_bias import AttentionBias
from skill_plugin.nn.sequence_layout import SequenceLayout


class FixedLayout(SequenceLayout):
    """S sequences of up to L tokens, some of which may have none: every shape follows from S, L and N.

    Args:
        offsets: where the sequences begin, and where the last ends [S + 1], int32, on the device of the pack.
        longest: L.
        tokens: N.
    """

    def __init__(self, offsets: Tensor, longest: int, tokens: int) -> None:
        self.device, self.longest = offsets.device, longest
        self.offsets, self._tokens = offsets, tokens

    @cached_property
    def first_tokens(self) -> Tensor:
        """As of every layout."""
        return self.offsets[:-1].clamp(max=self._tokens - 1)

    def attend(
        self,
        qkv: Tensor,
        heads: int,
        probability: float,
        bias: AttentionBias | None = None,
        scale: float | None = None,
    ) -> Tensor:
        """As of every layout; no copies share dropout here."""
        if bias is None and has_variable_length_kernel(qkv, heads):
            return variable_length_attention(qkv, heads, self.offsets, self.longest, probability)
        width = qkv.shape[1] // 3
        shape = (len(self.offsets) - 1, self.longest, heads, width // heads)
        # what is read at padding is another token's, and has no gradient
        parts = [gather_rows(part, self.sources, self.places) for part in qkv.chunk(3, 1)]
        q, k, v = (part.view(shape).transpose(1, 2) for part in parts)
        padding = self.padding.to(q.dtype)
        added = padding if bias is None else bias.padded(None, self.longest, padding, q.dtype)
        out = padded_attention(q, k, v, added, probability, scale)
        return gather_rows(out.transpose(1, 2).reshape(-1, width), self.places, self.sources, self.real.view(-1, 1))

    @cached_property
    def real(self) -> Tensor:
        """Which places of the padded view hold a token [S, L]."""
        return self._columns < self.offsets.diff().unsqueeze(1)

    @cached_property
    def sources(self) -> Tensor:
        """The token at each place [S L]; for padding, any."""
        return (self.offsets[:-1].unsqueeze(1) + self._columns).clamp(max=self._tokens - 1).flatten()

    @cached_property
    def places(self) -> Tensor:
        """The place of each token [N]."""
        tokens = torch.arange(self._tokens, device=self.device, dtype=torch.int32)
        sequence = torch.searchsorted(self.offsets[1:].contiguous(), tokens, right=True)
        return sequence * self.longest + tokens - self.offsets.index_select(0, sequence)

    @cached_property
    def padding(self) -> Tensor:
        """What is added to the logits of keys [S, 1, 1, L]; a sequence without tokens has one, since a mean over none
        would be no number."""
        lengths = self.offsets.diff().clamp(min=1).unsqueeze(1)
        zeros = torch.zeros(lengths.shape[0], self.longest, device=self.device)
        return zeros.masked_fill(self._columns >= lengths, -torch.inf)[:, None, None, :]

    @cached_property
    def _columns(self) -> Tensor:
        return torch.arange(self.longest, device=self.device, dtype=torch.int32)
