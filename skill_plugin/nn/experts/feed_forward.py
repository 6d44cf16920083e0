"""The mixture-of-experts layer: a gate chooses k of E feed-forward networks for each token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from skill_plugin.nn.bank import Bank
from skill_plugin.nn.compute_dtype import compute_dtype
from skill_plugin.nn.experts.gate import Gate, gate_logits
from skill_plugin.nn.experts.gate_noise import add_noise
from skill_plugin.nn.experts.routing import Routing, route
from skill_plugin.nn.experts.run_experts import run_experts
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.layer_output import LayerOutput
from skill_plugin.nn.packed_batch import PackedBatch


class ExpertFeedForward(nn.Module):
    """h(x) = sum_i G(x)_i E_i(x) over the chosen experts (MT-TaG, equations 2 and 6).

    Args:
        width: D.
        inner: F of every expert.
        experts: E.
        per_token: k.
        scale: one of ``scales.SCALES``.
        gates: names of the gates, of which a segment's active set names one; empty for one gate that all share.
        noise: whether the shared gate's logits have noise of a learned size while training (Shazeer et al. 2017).
    """

    def __init__(
        self,
        width: int,
        inner: int,
        experts: int,
        per_token: int,
        scale: str,
        gates: Sequence[str] = (),
        noise: bool = False,
    ) -> None:
        super().__init__()
        self.experts = Bank(None, ((str(number), FeedForward(width, inner)) for number in range(experts)))
        self.gate = None if gates else Gate(width, experts)
        self.gates = Bank("gate", ((name, Gate(width, experts)) for name in gates))
        self.gate_noise = Gate(width, experts, deviation=0.0) if noise else None
        self.per_token, self.scale = per_token, scale

    def forward(self, x: Tensor, batch: PackedBatch) -> LayerOutput:
        """[N, D] -> [N, D], and how the tokens were routed."""
        routing = self.route(x, batch)
        return LayerOutput(run_experts(list(self.experts.values()), x.to(compute_dtype(x)), routing), routing)  # type: ignore[arg-type]

    def route(self, x: Tensor, batch: PackedBatch) -> Routing:
        """Which experts the tokens [N, D] go to; gates differ in their logits only.

        Raises:
            ValueError: a segment whose active set names no gate of this layer.
        """
        if self.gate is not None and self.gate_noise is not None and self.training:
            noisy = add_noise(self.gate(x), F.softplus(self.gate_noise(x)), batch.copies)
            return replace(
                route(noisy.values, self.per_token, self.scale, batch.copies), logits=noisy.clean, noisy=noisy
            )
        if self.gate is not None:
            return route(self.gate(x), self.per_token, self.scale, batch.copies)
        active = batch.active.gate
        weights: list[Tensor] = [cast(Gate, gate).weight for gate in self.gates.named(active.names)]
        if len(weights) == 1:
            return route(gate_logits(x, weights[0]), self.per_token, self.scale, batch.copies)
        # one product for the gates of the pack, of which each token takes its own: their cost is small beside a launch
        all_logits = gate_logits(x, torch.cat(weights)).view(len(x), len(weights), -1)
        own = active.columns.view(-1, 1, 1).expand(-1, 1, all_logits.shape[2])
        return route(all_logits.gather(1, own).squeeze(1), self.per_token, self.scale, batch.copies)
