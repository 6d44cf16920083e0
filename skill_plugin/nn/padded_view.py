"""Sequences of a pack laid out as a padded array, where no kernel takes them end to end.

A padded view wastes work on padding, so sequences are grouped by length first, and each group has a view of its own:
on a GPU only where that is much work, since each view takes the host the same time to launch, whatever its size.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from skill_plugin.nn.attention_kernels import padded_attention
from skill_plugin.nn.gather_rows import gather_rows, take_rows
from skill_plugin.nn.logit_bias import AttentionBias
from skill_plugin.nn.on_device import on_device

GROUP_RATIO = 2.0  # a padded view holds sequences down to half of its longest; more views cost more than they save
SHORT = 4  # tokens; shorter sequences, as the texts of answers are, count as of so many
GPU_SCORES = 1 << 23  # of a head: on a GPU one view holds all sequences up to here


class PaddedView:
    """Sequences of similar length, padded to the longest of them.

    Args:
        members: numbers of the sequences in the pack [s].
        lengths: tokens of each sequence [s], on the CPU.

    Attributes:
        size: tokens of these sequences, n.
    """

    def __init__(self, members: Tensor, lengths: Tensor) -> None:
        self.members, self.size = members, int(lengths.sum())
        self.rows, self.columns = len(lengths), int(lengths.max())
        self.even = bool((lengths == self.columns).all())
        if not self.even:
            real = torch.arange(self.columns)[None, :] < lengths[:, None]
            self.slots = on_device(real.flatten().nonzero().squeeze(1), members.device)
            # the token at each place; padding, which nothing reads, repeats the last one of its sequence
            own = torch.arange(self.columns).minimum(lengths[:, None] - 1) + (lengths.cumsum(0) - lengths)[:, None]
            self.places = on_device(own.flatten().clamp_(0, self.size - 1), members.device)
            # added to attention's logits: 0 for a real token, -inf for padding
            bias = torch.zeros(real.shape).masked_fill(~real, -torch.inf)[:, None, None, :]
            self.biases = {bias.dtype: on_device(bias, members.device)}

    def attend(
        self,
        qkv: Tensor,
        heads: int,
        probability: float,
        bias: AttentionBias | None = None,
        scale: float | None = None,
    ) -> Tensor:
        """As ``SequenceLayout.attend`` for these n tokens: [n, 3 D] -> [n, D]."""
        width = qkv.shape[1] // 3
        if not self.even:
            qkv = gather_rows(qkv, self.places, self.slots)  # the gradient of padding is 0
        parts = qkv.view(self.rows, self.columns, 3, heads, width // heads)
        if probability > 0.0 and not parts.is_cuda:  # kernels read them where they lie; products want them copied
            q, k, v = parts.permute(2, 0, 3, 1, 4).contiguous()
        else:
            q, k, v = (part.transpose(1, 2) for part in parts.unbind(2))
        padding = self.padding(q.dtype)
        added = padding if bias is None else bias.padded(self.members, self.columns, padding, q.dtype)
        out = padded_attention(q, k, v, added, probability, scale)
        flat = out.transpose(1, 2).reshape(self.rows * self.columns, width)
        return flat if self.even else take_rows(flat, self.slots)

    def padding(self, dtype: torch.dtype) -> Tensor | None:
        """What is added to attention's logits: 0 for a token, -inf for padding [s, 1, 1, L]; None without padding."""
        if self.even:
            return None
        if dtype not in self.biases:  # once for all layers
            self.biases[dtype] = next(iter(self.biases.values())).to(dtype)
        return self.biases[dtype]


def group_by_length(lengths: Tensor, device: torch.device) -> tuple[list[PaddedView], tuple[Tensor, Tensor] | None]:
    """Padded views that together hold all sequences.

    Returns:
        The views, the token of the pack at each place of their concatenation [N], and the place of each token [N]; a
        single view holds the pack's tokens in order.
    """
    groups = members_of_views(lengths.tolist(), device)
    if len(groups) == 1:
        return [PaddedView(torch.arange(len(lengths), device=device), lengths)], None
    views, flat = [], []
    for group in groups:
        members = torch.tensor(group)
        flat.append(tokens_of(lengths, members))
        views.append(PaddedView(on_device(members, device), lengths[members]))
    order = torch.cat(flat)
    return views, (on_device(order, device), on_device(order.argsort(), device))


def members_of_views(
    lengths: Sequence[int], device: torch.device, queries: Sequence[int] | None = None
) -> list[list[int]]:
    """Numbers of the sequences of each padded view, in order.

    Args:
        lengths: tokens of each sequence, at least one of them.
        device: where they are attended to.
        queries: tokens that attend to each sequence, where they are not its own.
    """
    if device.type == "cuda" and len(lengths) * max(lengths) * max(queries or lengths) <= GPU_SCORES:
        return [list(range(len(lengths)))]
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if groups and lengths[groups[-1][0]] <= GROUP_RATIO * max(lengths[index], SHORT):
            groups[-1].append(index)
        else:
            groups.append([index])
    return [sorted(group) for group in groups]


def tokens_of(lengths: Tensor, members: Tensor) -> Tensor:
    """The flat positions of the tokens of some of the sequences that lie end to end [n], on the CPU.

    Args:
        lengths: tokens of each sequence [S].
        members: numbers of the sequences [s].
    """
    own = lengths[members]
    starts = F.pad(lengths.cumsum(0), (1, 0))[members]
    return (starts - F.pad(own.cumsum(0), (1, 0))[:-1]).repeat_interleave(own) + torch.arange(int(own.sum()))
