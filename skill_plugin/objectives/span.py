"""The losses of sequences in which an answer begins and ends somewhere."""

from __future__ import annotations

from torch import Tensor

from skill_plugin.objectives.segment_softmax import segment_log_softmax


def span_losses(logits: Tensor, sizes: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """The mean of the cross-entropies of start and end, over the positions of each sequence (Devlin et al., 2019).

    Args:
        logits: start and end [U, 2] of the positions of all sequences, sequence by sequence.
        sizes: positions of each sequence [S] int64, at least 1; they add up to U.
        starts, ends: the right positions, counted within the sequence [S] int64; 0 is "no answer here".

    Returns:
        [S] float32.
    """
    log_probabilities = segment_log_softmax(logits, sizes)
    first = sizes.cumsum(0) - sizes
    return -(log_probabilities[first + starts, 0] + log_probabilities[first + ends, 1]) / 2
