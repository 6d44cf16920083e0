"""The losses of queries that each have candidates."""

from __future__ import annotations

from torch import Tensor

from skill_plugin.objectives.classification import classification_losses
from skill_plugin.objectives.segment_softmax import owners, segment_log_softmax


def pointwise_losses(logits: Tensor, relevance: Tensor, sizes: Tensor) -> Tensor:
    """The mean over a query's candidates of their two-class cross-entropy (MT-TaG, appendix A.3.1).

    Args:
        logits: [U, 2] of the candidates of all queries, query by query; class 1 is "relevant".
        relevance: [U], relevant where above 0.
        sizes: candidates of each query [Q] int64, at least 1; they add up to U.

    Returns:
        [Q] float32.
    """
    return graded_losses(logits, (relevance > 0).long(), sizes)


def graded_losses(logits: Tensor, relevance: Tensor, sizes: Tensor) -> Tensor:
    """The mean over a query's candidates of the cross-entropy of their grades (WPR's five, thesis, section 3.1).

    Args:
        logits: [U, G] of the candidates of all queries, query by query, for each of G grades.
        relevance: [U] int64, the grade, from 0 to G - 1.
        sizes: candidates of each query [Q] int64, at least 1; they add up to U.

    Returns:
        [Q] float32.
    """
    losses = classification_losses(logits, relevance)
    return losses.new_zeros(len(sizes)).index_add(0, owners(sizes, len(losses)), losses) / sizes


def listwise_losses(scores: Tensor, relevance: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
    """Cross-entropy of the softmax over a query's candidates with their relevance, as shares of its sum (ListNet).

    A query without a relevant candidate says nothing about their order and is left out.

    Args:
        scores: [U, 1] of the candidates of all queries, query by query.
        relevance: [U], at least 0.
        sizes: candidates of each query [Q] int64, at least 1; they add up to U.

    Returns:
        The losses of the queries that are kept [K] float32, and their numbers of candidates [K].
    """
    owner = owners(sizes, len(scores))
    relevance = relevance.float()
    none = relevance.new_zeros(len(sizes))
    total = none.index_add(0, owner, relevance)
    kept = total > 0
    shares = relevance / total.where(kept, 1.0)[owner]
    losses = none.index_add(0, owner, -shares * segment_log_softmax(scores, sizes).squeeze(1))
    return losses[kept], sizes[kept]
