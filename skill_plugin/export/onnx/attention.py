"""Attention in a graph."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from skill_plugin.export.onnx.graph import Graph
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.attention import SelfAttention
from skill_plugin.nn.conditional.attention import ConditionalAttention
from skill_plugin.nn.dense_slice import check_known, projection
from skill_plugin.nn.skills.attention import LanguageAttention


class Attention:
    """The attention of all layers of a graph.

    Args:
        graph: the graph.
        active: what the corpus activates.
        z: its task embedding [D]; None where there is none.
        positions: P, the most tokens of a sequence.
    """

    def __init__(self, graph: Graph, active: ActiveSet, z: Tensor | None, positions: int) -> None:
        self._graph, self._active, self._z, self._positions = graph, active, z, positions
        mask = graph.cast(graph.add("Unsqueeze", "attention_mask", graph.integers(1, 2)), "BOOL")
        # added to the logits: 0 for a token, -inf for padding [B, 1, 1, T]
        self._padding = graph.add("Where", mask, graph.number(0.0), graph.number(-torch.inf))

    def add(self, x: str, slot: nn.Module, asking: str | None = None) -> str:
        """The output of a layer's attention.

        Args:
            x: [B, T, D].
            slot: the layer's module.
            asking: states of the first tokens [B, 1, D], where no others are wanted.

        Returns:
            [B, T, D], or [B, 1, D].

        Raises:
            NotDenseError: an attention that is not known here.
        """
        check_known(slot, "attention", SelfAttention, LanguageAttention, ConditionalAttention)
        assert isinstance(slot, SelfAttention | LanguageAttention)
        graph, heads, width = self._graph, slot.heads, slot.output.in_features
        maps = _divided(projection(slot, self._active), heads)
        if asking is None:
            qkv = graph.add("Reshape", graph.linear(x, _beside(maps)), graph.integers(0, 0, 3, heads, width // heads))
            parts = graph.add_split(
                "Split", 3, graph.add("Transpose", qkv, perm=[2, 0, 3, 1, 4]), axis=0, num_outputs=3
            )
            q, k, v = (graph.add("Squeeze", part, graph.integers(0)) for part in parts)
        else:
            by_head = graph.integers(0, 0, heads, width // heads)
            q, k, v = (
                graph.add("Transpose", graph.add("Reshape", graph.linear(states, one), by_head), perm=[0, 2, 1, 3])
                for states, one in zip((asking, x, x), maps, strict=True)
            )
        logits = graph.add("MatMul", q, graph.add("Transpose", k, perm=[0, 1, 3, 2]))
        logits = graph.add("Add", logits, self._added(slot, asking is not None))
        mixed = graph.add("MatMul", graph.add("Softmax", logits, axis=-1), v)
        mixed = graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), graph.integers(0, 0, width))
        return graph.linear(mixed, slot.output)

    def _added(self, slot: nn.Module, first_only: bool) -> str:
        """What is added to the logits: for padding, and where the task embedding says so, of each pair of positions."""
        if not isinstance(slot, ConditionalAttention):
            return self._padding
        assert self._z is not None
        graph = self._graph
        known = min(slot.matrix.length, self._positions)  # of positions further on nothing is added
        table = torch.zeros(self._positions, self._positions)
        table[:known, :known] = slot.matrix(self._z[None], self._positions)[0]
        if first_only:
            table = table[:1]
        longest = graph.add("Shape", "input_ids", start=1)
        ends = graph.add("Concat", graph.integers(1) if first_only else longest, longest, axis=0)
        cut = graph.add("Slice", graph.weight(table), graph.integers(0, 0), ends)
        return graph.add("Add", self._padding, cut)


def _divided(qkv: nn.Linear, heads: int) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
    """The three projections, the first one over the square root of a head's width."""
    width = qkv.in_features
    found = []
    for number, (weight, bias) in enumerate(zip(qkv.weight.chunk(3), qkv.bias.chunk(3), strict=True)):
        scale = 1.0 if number else (width // heads) ** -0.5
        found.append(_linear(weight * scale, bias * scale))
    return found[0], found[1], found[2]


def _beside(maps: tuple[nn.Linear, ...]) -> nn.Linear:
    return _linear(torch.cat([one.weight for one in maps]), torch.cat([one.bias for one in maps]))


def _linear(weight: Tensor, bias: Tensor) -> nn.Linear:
    out = nn.Linear(weight.shape[1], weight.shape[0])
    with torch.no_grad():
        out.weight.copy_(weight)
        out.bias.copy_(bias)
    return out
