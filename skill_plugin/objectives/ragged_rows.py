"""Softmax, sums and means within runs of rows, such as the candidates of a query or the positions of a sequence."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def owners(sizes: Tensor, rows: int) -> Tensor:
    """The run that each row belongs to: sizes [R] int64, which add up to U = ``rows`` -> [U] int64."""
    # the number of rows is told, so that a GPU need not be waited for
    return torch.arange(len(sizes), device=sizes.device).repeat_interleave(sizes, output_size=rows)


def ragged_sums(values: Tensor, sizes: Tensor) -> Tensor:
    """The sum over each run, 0 where it is empty: values [U, …] float, sizes [R] int64 adding up to U -> [R, …]."""
    return values.new_zeros(len(sizes), *values.shape[1:]).index_add(0, owners(sizes, len(values)), values)


def ragged_means(values: Tensor, sizes: Tensor) -> Tensor:
    """The mean over each run, 0 where it is empty: values [U] float, sizes [R] int64 adding up to U -> [R]."""
    return ragged_sums(values, sizes) / sizes.clamp(min=1)


def ragged_means_of_rows(values: Tensor, sizes: Tensor) -> Tensor:
    """As ``ragged_means``, of vectors: [U, D] -> [R, D]."""
    return ragged_sums(values, sizes) / sizes.clamp(min=1)[:, None]


def ragged_softmax(scores: Tensor, sizes: Sequence[int]) -> Tensor:
    """Softmax over the rows of each run, each column by itself, run by run: [U, K] -> [U, K] float32."""
    return torch.cat([part.float().T.softmax(-1).T for part in scores.split(list(sizes))])


def ragged_log_softmax(scores: Tensor, sizes: Tensor) -> Tensor:
    """Log-softmax over the rows of each run, each column by itself, all runs at once.

    Args:
        scores: [U, K], float.
        sizes: rows of each run [R] int64, each at least 1; they add up to U.

    Returns:
        [U, K] float32.
    """
    scores = scores.float()
    owner = owners(sizes, len(scores))
    empty = scores.new_zeros(len(sizes), scores.shape[1])
    # the greatest score is taken off so that nothing overflows; a constant for a run changes neither value nor gradient
    greatest = empty.scatter_reduce(0, owner[:, None].expand_as(scores), scores.detach(), "amax", include_self=False)
    scores = scores - greatest[owner]
    return scores - empty.index_add(0, owner, scores.exp()).log()[owner]
