"""The kernels of attention, and when each is used."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from skill_plugin.nn.dropout import dropout


def has_variable_length_kernel(qkv: Tensor, heads: int) -> bool:
    """Whether flash attention takes queries, keys and values side by side [N, 3 D]."""
    return flash_takes(qkv, qkv.shape[1] // (3 * heads))


def flash_takes(x: Tensor, columns: int) -> bool:
    """Whether flash attention takes it: half precision on Ampere or newer, columns of a head in eights."""
    if not x.is_cuda or x.dtype not in (torch.float16, torch.bfloat16):
        return False
    return columns % 8 == 0 and columns <= 256 and torch.cuda.get_device_capability(x.device)[0] >= 8


def variable_length_attention(qkv: Tensor, heads: int, offsets: Tensor, longest: int, probability: float) -> Tensor:
    """Attention within each of S sequences that lie end to end: [N, 3 D] -> [N, D].

    Args:
        qkv: in half precision, on a device that has the kernel.
        heads: H.
        offsets: where the sequences begin, and where the last ends [S + 1], int32.
        longest: no sequence has more tokens.
        probability: with which a weight is dropped.
    """
    q, k, v = qkv.view(len(qkv), 3, heads, -1).unbind(1)
    # torch.nn.attention.varlen has no dropout, and jagged tensors take 60 times as long to get to this same kernel
    out = torch.ops.aten._flash_attention_forward(
        q, k, v, offsets, offsets, longest, longest, probability, False, False
    )[0]
    return out.reshape(len(qkv), -1)


def variable_length_cross_attention(
    q: Tensor, kv: Tensor, heads: int, offsets: tuple[Tensor, Tensor], longest: tuple[int, int], probability: float
) -> Tensor:
    """As ``variable_length_attention``, of S runs of queries to a run of keys each, without 1 / sqrt(d): [M, D].

    Args:
        q: [M, D].
        kv: keys and values side by side [N, 2 D].
        heads: H.
        offsets: of the runs of queries and of keys, [S + 1] int32 each.
        longest: no run of queries, and none of keys, has more tokens.
        probability: with which a weight is dropped.
    """
    k, v = kv.view(len(kv), 2, heads, -1).unbind(1)
    out = torch.ops.aten._flash_attention_forward(
        q.view(len(q), heads, -1), k, v, *offsets, *longest, probability, False, False, scale=1.0
    )[0]
    return out.reshape(len(q), -1)


def padded_attention(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, probability: float, scale: float | None
) -> Tensor:
    """softmax(scale q k^T + bias) v, dropout on the weights, for s sequences: [s, H, L, d].

    Args:
        q: [s, H, L, d].
        k, v: [s, H, K, d].
        bias: [1 or s, 1 or H, 1 or L, K].
        probability: with which a weight is dropped.
        scale: None for 1 / sqrt(d).
    """
    if probability == 0.0 or q.is_cuda:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=probability, scale=scale)
    # on the CPU torch's kernel has no dropout and falls back on this, with slower random numbers
    scores = torch.matmul(q * (q.shape[-1] ** -0.5 if scale is None else scale), k.transpose(-1, -2))
    if bias is not None:
        scores = scores.add_(bias)
    return torch.matmul(dropout(scores.softmax(-1), probability), v)
