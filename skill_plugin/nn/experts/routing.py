"""Which experts each token goes to, and what their outputs are multiplied by."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class NoisyLogits:
    """H(x) = x W_g + z Softplus(x W_noise), z from N(0, 1) (Shazeer et al. 2017, equation 4), float32.

    Attributes:
        clean: x W_g [N, E].
        deviation: Softplus(x W_noise) [N, E].
        values: H(x) [N, E].
    """

    clean: Tensor
    deviation: Tensor
    values: Tensor


@dataclass(frozen=True)
class Routing:
    """The choice of one layer for all tokens of a pack.

    Attributes:
        logits: logits of every expert [N, E], float32.
        experts: the chosen ones of each token, best first [N, k], int64.
        weights: factors of their outputs [N, k], float32.
        noisy: what they were chosen by, where the logits had noise; these are then the clean ones.
    """

    logits: Tensor
    experts: Tensor
    weights: Tensor
    noisy: NoisyLogits | None = None


def route(logits: Tensor, per_token: int, scale: str, copies: int = 1) -> Routing:
    """Chooses the k experts with the largest logits.

    Args:
        logits: [N, E].
        per_token: k.
        scale: what a chosen expert's output is multiplied by, one of ``scales.SCALES``.

            - ``probability``: its probability among all E experts (MT-TaG, equations 4 to 6; Switch). Fresh gates give
              about 1/E, so the layer's output starts as that fraction of the pretrained one.
            - ``renormalised``: the softmax over the k chosen logits alone (Shazeer et al. 2017, equations 3 and 5), so
              that a token's weights add up to 1. With k = 1 it is always 1, and the gate would not learn.
            - ``rescaled``: the probability divided by the sum of the k probabilities, which counts as a constant in
              backward. The weights add up to 1, so experts that are copies of a pretrained network give its output
              exactly, now and with any gate; yet a gate gets the gradient of ``probability`` but for that constant,
              with k = 1 too. The constant is the token's own (rather than E, or a mean over the batch), so that a
              token's output depends neither on its batch mates nor on how sure a fresh gate happens to be.
        copies: how many copies of the same tokens follow one another; the first decides for all. A small noise then
            changes outputs a little, and does not now and then swap an expert, which no small noise should be blamed
            for.
    """
    if scale == "renormalised":
        chosen, experts = _best(logits, per_token, copies)
        return Routing(logits, experts, chosen.softmax(-1))
    weights, experts = _best(logits.softmax(-1), per_token, copies)
    if scale == "rescaled":
        weights = weights / weights.sum(-1, keepdim=True).detach()
    return Routing(logits, experts, weights)


def _best(scores: Tensor, per_token: int, copies: int) -> tuple[Tensor, Tensor]:
    """Scores and numbers [N, k] of the k best of E experts [N, E], which the first of the copies chooses for all."""
    if copies > 1:
        experts = _best(scores[: len(scores) // copies], per_token, 1)[1].repeat(copies, 1)
        return scores.gather(-1, experts), experts
    return scores.max(-1, keepdim=True) if per_token == 1 else scores.topk(per_token, -1)
