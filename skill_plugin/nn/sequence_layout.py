"""Attention over the sequences of a pack: the one place that knows where sequences begin and end.

On CUDA in half precision a variable-length kernel takes the pack as it is; elsewhere sequences are laid out in padded
views. A padded view wastes work on padding, so sequences are grouped by length first, and each group has a view of its
own. What is added to the logits needs such a view on every device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from skill_plugin.nn.dropout import by_copy, current_copies, dropout

GROUP_RATIO = 2.0  # a padded view holds sequences down to half of its longest; more views cost more than they save


@dataclass(frozen=True)
class LogitBias:
    """What is added to the attention logits of a pack, the same for all heads.

    Attributes:
        values: K matrices [K, m, m] over the first m positions of a sequence, query by key; 0 further on.
        rows: which of them each sequence has [S], int64; None where K = 1.
    """

    values: Tensor
    rows: Tensor | None = None


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
        self._groups: list[PaddedView] | None = None
        self._offsets: Tensor | None = None
        self._first_copies: dict[int, SequenceLayout] = {}

    def attend(self, qkv: Tensor, heads: int, probability: float, bias: LogitBias | None = None) -> Tensor:
        """Multi-head attention of every token to the tokens of its own sequence.

        Args:
            qkv: queries, keys and values side by side [N, 3 D].
            heads: H; each has D / H columns.
            probability: with which an attention weight is dropped, the same weights of each copy of ``share_masks``.
            bias: added to the logits.

        Returns:
            [N, D]
        """
        copies = current_copies()
        if probability > 0.0 and copies > 1:
            copy = self._first_copy(copies)
            # the sequences of every copy have the same bias: its rows for the first copy are the first ones
            return by_copy(lambda part: copy._attend(part, heads, probability, bias), qkv, copies)
        return self._attend(qkv, heads, probability, bias)

    def _attend(self, qkv: Tensor, heads: int, probability: float, bias: LogitBias | None) -> Tensor:
        if bias is None and _has_variable_length_kernel(qkv, heads):
            return self._variable_length(qkv, heads, probability)
        groups = self.groups
        if len(groups) == 1 and groups[0].full:
            return groups[0].attend(qkv, heads, probability, bias)
        out = [group.attend(qkv.index_select(0, group.tokens), heads, probability, bias) for group in groups]
        return torch.cat(out).index_select(0, self._inverse)

    def _first_copy(self, copies: int) -> SequenceLayout:
        if copies not in self._first_copies:
            lengths = self.lengths[: len(self.lengths) // copies].tolist()
            self._first_copies[copies] = SequenceLayout(lengths, self.device)
        return self._first_copies[copies]

    @property
    def groups(self) -> list[PaddedView]:
        """Padded views that together hold all sequences, each of sequences of similar length."""
        if self._groups is None:
            self._groups, self._inverse = _group(self.lengths, self.device)
        return self._groups

    def _variable_length(self, qkv: Tensor, heads: int, probability: float) -> Tensor:
        if self._offsets is None:
            self._offsets = F.pad(self.lengths.cumsum(0), (1, 0)).to(self.device, torch.int32)
        q, k, v = qkv.view(len(qkv), 3, heads, -1).unbind(1)
        # torch.nn.attention.varlen has no dropout, and jagged tensors take 60 times as long to get to this same kernel
        out = torch.ops.aten._flash_attention_forward(
            q, k, v, self._offsets, self._offsets, self.longest, self.longest, probability, False, False
        )[0]
        return out.reshape(len(qkv), -1)  # type: ignore[no-any-return]


def _has_variable_length_kernel(qkv: Tensor, heads: int) -> bool:
    """Whether flash attention takes it: half precision on Ampere or newer, columns of a head in eights."""
    if not qkv.is_cuda or qkv.dtype not in (torch.float16, torch.bfloat16):
        return False
    columns = qkv.shape[1] // (3 * heads)
    return columns % 8 == 0 and columns <= 256 and torch.cuda.get_device_capability(qkv.device)[0] >= 8


class PaddedView:
    """Sequences of similar length, padded to the longest of them.

    Args:
        tokens: flat positions of their tokens in the pack [n].
        members: numbers of the sequences in the pack [s].
        lengths: tokens of each sequence [s], on the CPU.
        full: these are all the tokens of the pack, in order.
    """

    def __init__(self, tokens: Tensor, members: Tensor, lengths: Tensor, full: bool) -> None:
        self.tokens, self.members, self.full = tokens, members, full
        self.rows, self.columns = len(lengths), int(lengths.max())
        self.even = bool((lengths == self.columns).all())
        if not self.even:
            real = torch.arange(self.columns)[None, :] < lengths[:, None]
            self.slots = real.flatten().nonzero().squeeze(1).to(tokens.device)
            # added to attention's logits: 0 for a real token, -inf for padding
            self.bias = torch.zeros(real.shape).masked_fill(~real, -torch.inf)[:, None, None, :].to(tokens.device)

    def attend(self, qkv: Tensor, heads: int, probability: float, bias: LogitBias | None = None) -> Tensor:
        """As ``SequenceLayout.attend`` for these n tokens: [n, 3 D] -> [n, D]."""
        width = qkv.shape[1] // 3
        if not self.even:
            qkv = qkv.new_zeros(self.rows * self.columns, 3 * width).index_copy_(0, self.slots, qkv)
        q, k, v = qkv.view(self.rows, self.columns, 3, heads, width // heads).permute(2, 0, 3, 1, 4).contiguous()
        padding = None if self.even else self.bias.to(q.dtype)
        added = padding if bias is None else self._logit_bias(bias, padding, q.dtype)
        out = _attention(q, k, v, added, probability)
        flat = out.transpose(1, 2).reshape(self.rows * self.columns, width)
        return flat if self.even else flat.index_select(0, self.slots)

    def _logit_bias(self, bias: LogitBias, padding: Tensor | None, dtype: torch.dtype) -> Tensor:
        """The bias of each sequence, and -inf for padding: [s or 1, 1, L, L]."""
        values = bias.values[:, : self.columns, : self.columns].to(dtype)
        if bias.rows is not None:
            values = values.index_select(0, bias.rows.index_select(0, self.members))
        if beyond := self.columns - values.shape[-1]:
            values = F.pad(values, (0, beyond, 0, beyond))
        values = values.unsqueeze(1)
        return values if padding is None else values + padding


def _attention(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, probability: float) -> Tensor:
    """softmax(q k^T / sqrt(d) + bias) v, dropout on the weights: [s, H, L, d], bias [1 or s, 1, 1 or L, L]."""
    if probability == 0.0 or q.is_cuda:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=probability)
    # on the CPU torch's kernel has no dropout and falls back on this, with slower random numbers
    scores = torch.matmul(q * q.shape[-1] ** -0.5, k.transpose(-1, -2))
    if bias is not None:
        scores = scores.add_(bias)
    return torch.matmul(dropout(scores.softmax(-1), probability), v)


def _group(lengths: Tensor, device: torch.device) -> tuple[list[PaddedView], Tensor]:
    """Views of sequences by falling length, and where each token of the pack lies in their concatenation [N]."""
    order = lengths.argsort(descending=True, stable=True)
    starts = F.pad(lengths.cumsum(0), (1, 0))
    groups: list[list[int]] = []
    for index in order.tolist():
        if groups and int(lengths[groups[-1][0]]) <= GROUP_RATIO * int(lengths[index]):
            groups[-1].append(index)
        else:
            groups.append([index])
    views, flat = [], []
    for group in groups:
        members = torch.tensor(sorted(group))
        tokens = torch.cat([torch.arange(int(starts[i]), int(starts[i + 1])) for i in members])
        flat.append(tokens)
        full = len(groups) == 1
        views.append(PaddedView(tokens.to(device), members.to(device), lengths[members], full))
    position = torch.cat(flat)
    inverse = torch.empty_like(position)
    inverse[position] = torch.arange(len(position))
    return views, inverse.to(device)
