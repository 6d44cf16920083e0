"""Attention with dropout on the CPU, each sequence by itself: no padding, and nothing is copied for it.

A padded view of a pack's sequences is filled with zeros, copied into the order that products want and back, and so are
its gradients; with the work on padding that takes twice as long as the products of each sequence one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from skill_plugin.nn.dropout import dropout_factors

SHORT = 12  # tokens; where sequences are shorter on average, as many small products cost more than padding


def suits_sequence_attention(qkv: Tensor, sequences: int, probability: float) -> bool:
    """Whether it is the quicker way: with dropout, in float32 on the CPU, unless its sequences are short."""
    return (
        probability > 0.0 and qkv.device.type == "cpu" and qkv.dtype == torch.float32 and len(qkv) >= SHORT * sequences
    )


def sequence_attention(qkv: Tensor, heads: int, lengths: Sequence[int], probability: float) -> Tensor:
    """softmax(q k^T / sqrt(d)) v with dropout on the weights, within each of the sequences: [N, 3 D] -> [N, D].

    Args:
        qkv: queries, keys and values side by side, float32 [N, 3 D].
        heads: H; each has d = D / H columns.
        lengths: tokens of each sequence; they add up to N.
        probability: with which a weight is dropped.
    """
    return _SequenceAttention.apply(qkv, heads, lengths, probability)


class _SequenceAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, qkv: Tensor, heads: int, lengths: Sequence[int], probability: float) -> Tensor:
        parts = _parts(qkv, 3 * heads, lengths)
        out = qkv.new_empty(len(qkv), qkv.shape[1] // 3)
        areas = [heads * length * length for length in lengths]
        factors = dropout_factors(sum(areas), probability).split(areas)
        weights = []
        for part, kept, own in zip(parts, factors, _parts(out, heads, lengths), strict=True):
            q, k, v = part.chunk(3)
            scores = torch.baddbmm(q.new_zeros(1, 1, 1), q, k.mT, beta=0, alpha=_scale(q))
            weights.append(scores.softmax(-1))
            own.copy_(torch.bmm(weights[-1] * kept.view_as(scores), v))
        ctx.save_for_backward(qkv, *weights, *factors)
        ctx.heads, ctx.lengths = heads, lengths
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        heads, lengths = ctx.heads, ctx.lengths
        qkv, *saved = ctx.saved_tensors
        of_qkv = torch.empty_like(qkv)
        for part, of_part, of_out, weights, kept in zip(
            _parts(qkv, 3 * heads, lengths),
            _parts(of_qkv, 3 * heads, lengths),
            _parts(grad, heads, lengths),
            saved[: len(lengths)],
            saved[len(lengths) :],
            strict=True,
        ):
            q, k, v = part.chunk(3)
            of_q, of_k, of_v = of_part.chunk(3)
            kept = kept.view_as(weights)
            of_v.copy_(torch.bmm((weights * kept).mT, of_out))
            of_weights = torch.bmm(of_out, v.mT).mul_(kept)
            of_scores = torch._softmax_backward_data(of_weights, weights, -1, weights.dtype).mul_(_scale(q))
            of_q.copy_(torch.bmm(of_scores, k))
            of_k.copy_(torch.bmm(of_scores.mT, q))
        return of_qkv, None, None, None


def _parts(x: Tensor, heads: int, lengths: Sequence[int]) -> Sequence[Tensor]:
    """The columns of each head for each sequence, as views: [N, heads d] -> [heads, T, d] each."""
    return x.view(len(x), heads, -1).transpose(0, 1).split_with_sizes(list(lengths), 1)


def _scale(q: Tensor) -> float:
    return float(q.shape[-1] ** -0.5)
