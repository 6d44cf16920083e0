"""The mixture-of-experts layer: a gate chooses k of E feed-forward networks for each token."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from skill_plugin.nn.experts.dispatch import Dispatch
from skill_plugin.nn.experts.gate import Gate
from skill_plugin.nn.experts.routing import Routing, route
from skill_plugin.nn.experts.run_experts import run_experts
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.packed_batch import PackedBatch


class ExpertFeedForward(nn.Module):
    """h(x) = sum_i G(x)_i E_i(x) over the chosen experts (MT-TaG, equations 2 and 6).

    Args:
        width: D.
        inner: F of every expert.
        experts: E.
        per_token: k.
        scale: one of ``routing.SCALES``.
        gates: names of the gates, of which a segment's active set names one; empty for one gate that all share.
    """

    def __init__(
        self, width: int, inner: int, experts: int, per_token: int, scale: str, gates: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.experts = nn.ModuleList(FeedForward(width, inner) for _ in range(experts))
        self.gate = None if gates else Gate(width, experts)
        self.gates = nn.ModuleDict({name: Gate(width, experts) for name in gates})
        self.per_token, self.scale = per_token, scale

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """[N, D] -> [N, D]. Where the batch keeps ``routings``, this layer's is added to them."""
        routing = self.route(x, batch)
        if batch.routings is not None:
            batch.routings.append(routing)
        dispatch = Dispatch(routing.experts, len(self.experts))
        rows = dispatch.spread(x.to(_compute_dtype(x)))
        return dispatch.collect(run_experts(list(self.experts), rows, dispatch), routing.weights)  # type: ignore[arg-type]

    def route(self, x: Tensor, batch: PackedBatch) -> Routing:
        """Which experts the tokens [N, D] go to; gates differ in their logits only.

        Raises:
            ValueError: a segment whose active set names no gate of this layer.
        """
        if self.gate is not None:
            return route(self.gate(x), self.per_token, self.scale)
        runs: list[tuple[str, int, int]] = []  # neighbouring segments with the same gate are one matrix product
        for segment in batch.segments:
            name, start = segment.active.gate, segment.start
            if name not in self.gates:
                raise ValueError(f"no gate {name!r}; the layer has: {', '.join(self.gates)}")
            if runs and runs[-1][0] == name:
                start = runs.pop()[1]
            runs.append((name, start, segment.end))
        logits = [self.gates[name](x[start:end]) for name, start, end in runs]
        return route(torch.cat(logits) if len(logits) > 1 else logits[0], self.per_token, self.scale)


def _compute_dtype(x: Tensor) -> torch.dtype:
    """The type in which linear maps of x are computed here."""
    device = x.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else x.dtype
