"""Runs each expert once, on the tokens that chose it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.grouped import available
from skill_plugin.nn.grouped.dispatch import Dispatch, combine_outputs, dispatch_tokens
from skill_plugin.nn.grouped.feed_forwards import grouped_feed_forwards


def run_experts(experts: Sequence[FeedForward], x: Tensor, routing: Routing) -> Tensor:
    """For each token the weighted sum of its experts' outputs [N, D] -> [N, D].

    In bfloat16 on Hopper grouped matrix products do all experts. Elsewhere each expert takes a contiguous slice of the
    sorted rows; one without rows is not run and gets no gradient.
    """
    dispatch = Dispatch(routing.experts, len(experts))
    if available.has_grouped_product(experts[0], x):
        return grouped_feed_forwards(experts, x, routing.weights, dispatch)
    slices = zip(experts, dispatch_tokens(x, dispatch).split(dispatch.sizes()), strict=True)
    outputs = [expert(part) for expert, part in slices if len(part)]
    return combine_outputs(torch.cat(outputs) if len(outputs) > 1 else outputs[0], routing.weights, dispatch)
