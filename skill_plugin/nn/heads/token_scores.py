"""How the right pieces of masked tokens are scored, without the scores of all pieces for all tokens at a time.

Axes: U masked tokens, V pieces, D width. For XLM-R's vocabulary the logits [U, V] of a batch, in float32 and with what
autograd keeps of them, take more memory than the rest of the model: 1,000 tokens need 1 GB for each copy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from skill_plugin.nn.compute_dtype import compute_dtype

LOGITS = 1 << 26  # at a time: 268 tokens of XLM-R's vocabulary, 256 MB in float32


class TokenScores(NamedTuple):
    """What a loss and a metric need to know of logits.

    Attributes:
        losses: cross-entropy of each token [U], float32, natural logarithm.
        right: whether the right piece is the likeliest one [U], bool.
        vocabulary: V.
    """

    losses: Tensor
    right: Tensor
    vocabulary: int

    def detach(self) -> TokenScores:
        """The same without gradients."""
        return self._replace(losses=self.losses.detach())


def score_tokens(x: Tensor, table: Tensor, bias: Tensor, classes: Tensor, logits: int = LOGITS) -> TokenScores:
    """Scores the right pieces by the logits x table^T + bias, of which only some are in memory at a time.

    Args:
        x: [U, D].
        table: [V, D].
        bias: [V].
        classes: the right pieces [U], int64.
        logits: how many are in memory at a time. Where that is not enough for all, those of some tokens are computed
            after those of others, and once more for the gradient.
    """
    tokens = max(1, logits // len(table))
    if len(x) <= tokens:
        losses, right, _ = _score(F.linear(x, table, bias), classes)
    else:
        losses, right = _Chunks.apply(x, table, bias, classes, tokens)
    return TokenScores(losses, right, len(table))


def _score(logits: Tensor, classes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Losses and right guesses, and the logarithms of the sums over pieces: each [U]."""
    values = logits.float()
    total = values.logsumexp(1)  # less memory than the softmax of a large vocabulary
    losses = total - values.gather(1, classes[:, None]).squeeze(1)
    return losses, values.detach().argmax(1) == classes, total


class _Chunks(torch.autograd.Function):
    """The scores of ``tokens`` tokens at a time, in the type in which autocast would compute them."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, table: Tensor, bias: Tensor, classes: Tensor, tokens: int) -> Any:
        dtype = compute_dtype(table)
        with torch.autocast(x.device.type, enabled=False):
            matrix, offset = table.to(dtype), bias.to(dtype)
            parts = [
                _score(F.linear(rows, matrix, offset), right)
                for rows, right in zip(x.to(dtype).split(tokens), classes.split(tokens), strict=True)
            ]
        losses, right, total = (torch.cat(part) for part in zip(*parts, strict=True))
        ctx.save_for_backward(x, table, bias, classes, total)
        ctx.tokens, ctx.dtype = tokens, dtype
        ctx.mark_non_differentiable(right)
        return losses, right

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        x, table, bias, classes, total = ctx.saved_tensors
        matrix, offset = table.to(ctx.dtype), bias.to(ctx.dtype)
        # sums over many tokens, in float32 whatever the type of a product; none for a table that is frozen
        sums = torch.promote_types(table.dtype, torch.float32)
        grad_table = torch.zeros_like(table, dtype=sums) if ctx.needs_input_grad[1] else None
        grad_bias, grad_x = torch.zeros_like(bias, dtype=sums), []
        parts = (one.split(ctx.tokens) for one in (x, classes, total, grad))
        for rows, right, totals, weights in zip(*parts, strict=True):
            rows = rows.to(ctx.dtype)
            shares = F.linear(rows, matrix, offset).float().sub_(totals[:, None]).exp_()
            shares[torch.arange(len(right), device=right.device), right] -= 1
            shares = shares.mul_(weights[:, None])
            grad_bias += shares.sum(0)
            shares = shares.to(ctx.dtype)
            grad_x.append(shares @ matrix)
            if grad_table is not None and sums == ctx.dtype:
                grad_table.addmm_(shares.t(), rows)
            elif grad_table is not None:
                grad_table += shares.t() @ rows
        grad_table = None if grad_table is None else grad_table.to(table.dtype)
        return torch.cat(grad_x).to(x.dtype), grad_table, grad_bias.to(bias.dtype), None, None
