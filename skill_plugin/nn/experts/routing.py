"""Which experts each token goes to, and what their outputs are multiplied by."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

SCALES = ("probability", "renormalised", "rescaled")


@dataclass(frozen=True)
class Routing:
    """The choice of one layer for all tokens of a pack.

    Attributes:
        logits: of every expert [N, E], float32.
        experts: the chosen ones of each token, best first [N, k], int64.
        weights: factors of their outputs [N, k], float32.
    """

    logits: Tensor
    experts: Tensor
    weights: Tensor


def route(logits: Tensor, per_token: int, scale: str) -> Routing:
    """Chooses the k experts with the largest logits.

    Args:
        logits: [N, E].
        per_token: k.
        scale: what a chosen expert's output is multiplied by.

            - ``probability``: its probability among all E experts (MT-TaG, equations 4 to 6; Switch). Fresh gates give
              about 1/E, so the layer's output starts as that fraction of the pretrained one.
            - ``renormalised``: the softmax over the k chosen logits alone (Shazeer et al. 2017, equations 3 and 5), so
              that a token's weights add up to 1. With k = 1 it is always 1, and the gate would not learn.
            - ``rescaled``: the probability divided by the sum of the k probabilities, which counts as a constant in
              backward. The weights add up to 1, so experts that are copies of a pretrained network give its output
              exactly, now and with any gate; yet a gate gets the gradient of ``probability`` but for that constant,
              with k = 1 too. The constant is the token's own (rather than E, or a mean over the batch), so that a
              token's output depends neither on its batch mates nor on how sure a fresh gate happens to be.
    """
    if scale == "renormalised":
        chosen, experts = logits.topk(per_token, -1)
        return Routing(logits, experts, chosen.softmax(-1))
    probabilities = logits.softmax(-1)
    if per_token == 1:
        weights, experts = probabilities.max(-1, keepdim=True)
    else:
        weights, experts = probabilities.topk(per_token, -1)
    if scale == "rescaled":
        weights = weights / weights.sum(-1, keepdim=True).detach()
    return Routing(logits, experts, weights)
