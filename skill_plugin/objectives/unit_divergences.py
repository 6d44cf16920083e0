"""How far two sets of a head's outputs are apart, for every kind: R3F's penalty of each unit.

The outputs of a kind stand for a distribution, the one whose negative log-likelihood is the kind's loss, and KL_S is
the symmetric divergence KL(p || q) + KL(q || p) of the two.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

from skill_plugin.objectives.segment_softmax import owners, segment_log_softmax
from skill_plugin.objectives.symmetric_kl import symmetric_kl_terms


def unit_divergences(kind: str, loss: str, clean: Tensor, noisy: Tensor, target: Mapping[str, Tensor]) -> Tensor:
    """KL_S of the units of one segment, which are those of ``unit_losses``, in their order.

    =============================== ======================================================================
    kind                            KL_S of a unit
    =============================== ======================================================================
    one class each                  sum_c (p_c - q_c) (log p_c - log q_c), p and q the softmax of the logits
    multilabel                      the mean over labels of KL_S between yes and no, p and q the sigmoids
    regression                      2 (a - b)^2, since a squared error is the loss of a Gaussian with variance 1/2
    ranking, pointwise or graded    the mean over a query's candidates of KL_S of their classes, or grades
    ranking, listwise               KL_S of the softmax over a query's candidates
    span                            half of KL_S of the start and of the end, softmax over the window's positions
    =============================== ======================================================================

    Args:
        kind, loss, target: as for ``unit_losses``.
        clean, noisy: outputs of the segment's head, without and with noise.

    Returns:
        [U] float32, at least 0.

    Raises:
        ValueError: an unknown kind, or an unknown loss of ``ranking``.
    """
    clean, noisy = clean.float(), noisy.float()
    match kind, loss:
        case (("classification" | "labelling" | "word_in_context" | "next_sentence" | "masked_lm"), _):
            return _softmax_divergences(clean, noisy)
        case "multilabel", _:
            yes = symmetric_kl_terms(F.logsigmoid(clean), F.logsigmoid(noisy))
            no = symmetric_kl_terms(F.logsigmoid(-clean), F.logsigmoid(-noisy))
            return (yes + no).mean(1)
        case "regression", _:
            return 2 * (clean - noisy).square().squeeze(1)
        case "ranking", ("pointwise" | "graded"):
            sizes = target["sizes"]
            return _sums(_softmax_divergences(clean, noisy), sizes) / sizes
        case "ranking", "listwise":
            sizes = target["sizes"]
            kept = _sums(target["relevance"].float(), sizes) > 0
            return _sums(_run_terms(clean, noisy, sizes).squeeze(1), sizes)[kept]
        case "span", _:
            sizes = target["sizes"]
            return _sums(_run_terms(clean, noisy, sizes).sum(1), sizes) / 2
    raise ValueError(f"unknown kind {kind!r}, or unknown loss {loss!r} for it")


def _softmax_divergences(clean: Tensor, noisy: Tensor) -> Tensor:
    """[U, C] -> [U]"""
    return symmetric_kl_terms(clean.log_softmax(1), noisy.log_softmax(1)).sum(1)


def _run_terms(clean: Tensor, noisy: Tensor, sizes: Tensor) -> Tensor:
    """Terms of the softmax over the rows of each run: [U, K] -> [U, K]"""
    return symmetric_kl_terms(segment_log_softmax(clean, sizes), segment_log_softmax(noisy, sizes))


def _sums(values: Tensor, sizes: Tensor) -> Tensor:
    """Sums over the rows of each run: [U] -> [R]"""
    return torch.zeros(len(sizes), device=values.device).index_add(0, owners(sizes, len(values)), values)
