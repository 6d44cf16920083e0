"""How unsure a head's outputs are of each example (CA-MTL, equation 3.4), for every kind.

Kinds that are not a choice between classes for each example, of which CA-MTL says nothing, follow their loss: where it
is a mean over several choices, so is the entropy, in nats, and the most that it can be is that of one choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from skill_plugin.objectives.segment_softmax import owners, segment_log_softmax, segment_means

_ELEMENTS = 1 << 24  # of logits at a time, since a vocabulary's are many


class Entropies(NamedTuple):
    """Of E examples, float32, in nats.

    Attributes:
        values: H [E].
        greatest: H' = log C [E], what H is under a uniform distribution; 0 where there is no choice.
    """

    values: Tensor
    greatest: Tensor


def example_entropies(
    kind: str, loss: str, outputs: Tensor, units: Sequence[int], output_range: tuple[float, float] = (-1.0, 1.0)
) -> Entropies:
    """The entropies of one segment's examples.

    - classification, word_in_context, next_sentence: of the distribution over the C classes.
    - labelling, masked_lm: the mean over the words, or hidden tokens, of that over C tags, or pieces. Not their sum, or
      long texts would be chosen for their length. An example without any has 0.
    - multilabel: the mean over the labels of that of "given or not"; C = 2.
    - ranking, pointwise: the mean over the candidates of that of "right or wrong"; C = 2.
    - ranking, graded: the mean over the candidates of that over C grades.
    - ranking, listwise: of the softmax over a query's C candidates.
    - span: the mean of start's and end's, each over the C positions of the window.
    - regression: squared error knows no probabilities, and a normal distribution of fixed variance would be equally
      unsure of all. The score, as a share p of its range, is taken for the probability of the upper end, whose entropy
      is that of "upper or lower"; C = 2. It is 0 at the ends of the range and log 2 in its middle, where a fresh head
      begins.

    Args:
        kind: what the corpus asks for.
        loss: of ``ranking``, ``pointwise``, ``listwise`` or ``graded``; other kinds do not look at it.
        outputs: of the segment's head [U, K].
        units: of each example; they add up to U.
        output_range: of ``regression``, between which numbers its outputs should lie; others count as the nearer one.

    Raises:
        ValueError: an unknown kind, or an unknown loss of ``ranking``.
    """
    match kind, loss:
        case (("classification" | "word_in_context" | "next_sentence"), _):
            return _among(_entropies(outputs), outputs.shape[1])
        case (("labelling" | "masked_lm"), _):
            return _among(segment_means(_entropies(outputs), _sizes(units, outputs)), outputs.shape[1])
        case "multilabel", _:
            return _among(_binary_entropies(outputs.float().sigmoid()).mean(1), 2)
        case "ranking", ("pointwise" | "graded"):
            return _among(segment_means(_entropies(outputs), _sizes(units, outputs)), outputs.shape[1])
        case ("ranking", "listwise") | ("span", _):
            sizes = _sizes(units, outputs)
            return Entropies(_run_entropies(outputs, sizes).mean(1), sizes.float().log())
        case "regression", _:
            lowest, highest = output_range
            shares = (outputs[:, 0].float() - lowest) / ((highest - lowest) or 1.0)
            return _among(_binary_entropies(shares.clamp(0, 1)), 2)
    raise ValueError(f"unknown kind {kind!r}, or unknown loss {loss!r} for it")


def _sizes(units: Sequence[int], outputs: Tensor) -> Tensor:
    return torch.tensor(units, dtype=torch.int64, device=outputs.device)


def _among(values: Tensor, classes: int) -> Entropies:
    return Entropies(values, torch.full_like(values, classes).log())


def _entropies(logits: Tensor) -> Tensor:
    """Of the softmax of each row: [U, C] -> [U]."""
    rows = max(1, _ELEMENTS // max(1, logits.shape[1]))
    return torch.cat([_terms(part.float().softmax(-1)).sum(-1) for part in logits.split(rows)])


def _binary_entropies(probabilities: Tensor) -> Tensor:
    """Of a yes or no with these probabilities of yes, any shape."""
    return _terms(probabilities) + _terms(1 - probabilities)


def _run_entropies(scores: Tensor, sizes: Tensor) -> Tensor:
    """Of the softmax over each run of rows, each column by itself: [U, K], sizes [R] adding up to U -> [R, K]."""
    terms = _terms(segment_log_softmax(scores, sizes).exp())
    return terms.new_zeros(len(sizes), scores.shape[1]).index_add(0, owners(sizes, len(scores)), terms)


def _terms(probabilities: Tensor) -> Tensor:
    """-p log p, 0 at 0, any shape."""
    return torch.special.entr(probabilities)  # type: ignore[no-any-return]
