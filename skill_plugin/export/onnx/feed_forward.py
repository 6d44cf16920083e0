"""Feed-forward networks in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from torch import Tensor, nn

from skill_plugin.export.onnx.graph import Graph
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.conditional.bottleneck import BottleneckFeedForward, ConditionalBottleneck
from skill_plugin.nn.dense_slice import active_networks, joined_networks, plain_linear
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.experts.gate import Gate
from skill_plugin.nn.feed_forward import FeedForward


def add_feed_forward(graph: Graph, x: str, slot: nn.Module, active: ActiveSet, z: Tensor | None) -> str:
    """The output of a layer's feed-forward network, […, D] -> […, D].

    Args:
        graph: the graph.
        x: its input.
        slot: the layer's module.
        active: what the corpus activates.
        z: its task embedding [D]; None where there is none.

    Raises:
        NotDenseError: a network that is not known here.
    """
    if type(slot) is ExpertFeedForward:
        return _experts(graph, x, slot, active)
    if type(slot) is BottleneckFeedForward:
        assert z is not None
        y = _network(graph, x, slot)
        return graph.add("Add", y, add_bottleneck(graph, y, slot.bottleneck, z))
    return _network(graph, x, joined_networks(active_networks(slot, active)))


def add_bottleneck(graph: Graph, x: str, bottleneck: ConditionalBottleneck, z: Tensor) -> str:
    """[…, D] -> […, D] for the task embedding z [D]."""
    down, up = plain_linear(bottleneck.down, z), plain_linear(bottleneck.up, z)
    return graph.linear(graph.add("Gelu", graph.linear(x, down)), up)


def _network(graph: Graph, x: str, network: FeedForward) -> str:
    return graph.linear(graph.add("Gelu", graph.linear(x, network.fc1)), network.fc2)


def _experts(graph: Graph, x: str, slot: ExpertFeedForward, active: ActiveSet) -> str:
    """Each expert for the tokens that chose it, gathered.

    All experts for all tokens, with a mask, took 1.6 to 1.8 times as long for a text of 8 to 100 tokens, and 2 to 3.5
    times for 16 (6 layers of 384; 4 experts, one a token, and 10, two a token; two cores).
    """
    shape = graph.add("Shape", x)
    flat = graph.add("Reshape", x, graph.integers(-1, slot_width(slot)))
    weights, chosen = _route(graph, flat, slot, active)
    total = graph.add("Mul", flat, graph.number(0.0))
    for number, expert in enumerate(cast(Sequence[FeedForward], list(slot.experts.values()))):
        places = graph.add("NonZero", graph.add("Equal", chosen, graph.integers(number)))  # [2, n]: token, choice
        tokens, _ = graph.add_split("Split", 2, places, axis=0, num_outputs=2)
        rows = graph.add("Transpose", tokens, perm=[1, 0])  # [n, 1]
        own = graph.add("GatherND", weights, graph.add("Transpose", places, perm=[1, 0]))
        out = _network(graph, graph.add("GatherND", flat, rows), expert)
        out = graph.add("Mul", out, graph.add("Unsqueeze", own, graph.integers(1)))
        total = graph.add("ScatterND", total, rows, out, reduction="add")
    return graph.add("Reshape", total, shape)


def slot_width(slot: ExpertFeedForward) -> int:
    """D"""
    return cast(FeedForward, slot.experts.first).fc1.in_features


def _route(graph: Graph, flat: str, slot: ExpertFeedForward, active: ActiveSet) -> tuple[str, str]:
    """Weights and numbers of each token's experts [N, k], as ``nn.experts.routing.route``; float32 up to the choice."""
    gate = slot.gate or cast(Gate, slot.gates.named([active.gate])[0])
    exact = graph.cast(flat, "FLOAT")
    logits = graph.add("MatMul", exact, graph.weight(gate.weight.t().float(), exact=True))
    renormalised = slot.scale == "renormalised"
    scores = logits if renormalised else graph.add("Softmax", logits, axis=-1)
    weights, chosen = graph.add_split("TopK", 2, scores, graph.integers(slot.per_token), axis=-1)
    if renormalised:
        weights = graph.add("Softmax", weights, axis=-1)
    elif slot.scale == "rescaled":
        weights = graph.add("Div", weights, graph.add("ReduceSum", weights, graph.integers(1), keepdims=1))
    return graph.to_own(weights), chosen
