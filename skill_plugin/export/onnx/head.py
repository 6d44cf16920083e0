"""Heads in a graph."""

from __future__ import annotations

import torch
from torch import nn

from skill_plugin.export.onnx.graph import Graph
from skill_plugin.kinds.export_task import ExportHead, ExportTask
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.linear import LinearHead
from skill_plugin.nn.heads.masked_lm import MaskedLmHead

FIRST_ONLY = (ExportHead.SEQUENCE, ExportHead.CHOICE)


def add_head(graph: Graph, hidden: str, head: nn.Module, task: ExportTask, table: str, mask: int | None) -> str:
    """What the head says.

    Args:
        graph: the graph.
        hidden: states [B, T, D], or [B, 1, D] for heads of ``FIRST_ONLY``.
        head: the module.
        task: what it is.
        table: the table of embeddings [rows, D].
        mask: id of the mask.

    Returns:
        [B, C], of ``TOKENS`` and ``SPAN`` [B, T, C], of ``MASKED`` [masks of all sequences, V].
    """
    if isinstance(head, MaskedLmHead):
        masks = graph.add("NonZero", graph.add("Equal", "input_ids", graph.integers(int(mask or 0))))
        states = graph.add("GatherND", hidden, graph.add("Transpose", masks, perm=[1, 0]))
        states = graph.norm(graph.add("Gelu", graph.linear(states, head.dense)), head.norm)
        scores = graph.add("MatMul", states, graph.add("Transpose", table, perm=[1, 0]))
        known = graph.add("Slice", scores, graph.integers(0), graph.integers(len(head.bias)), graph.integers(1))
        return graph.add("Add", known, graph.weight(head.bias))
    assert isinstance(head, ClassificationHead | LinearHead)
    if task.head in FIRST_ONLY:
        states = graph.add("Squeeze", hidden, graph.integers(1))
    elif task.head is ExportHead.WORDS:
        lowest = head.dense if isinstance(head, ClassificationHead) else head.out_proj
        states = _words(graph, hidden, lowest.in_features)
    else:
        states = hidden
    if isinstance(head, ClassificationHead):
        states = graph.add("Tanh", graph.linear(states, head.dense))
    return graph.linear(states, _scaled(head.out_proj, task))


def _words(graph: Graph, hidden: str, width: int) -> str:
    """States of the first token and of both words, side by side [B, 3 D]."""
    places = graph.add("Pad", "words", graph.integers(0, 1, 0, 0))  # position 0 before them
    states = graph.add("GatherND", hidden, graph.add("Unsqueeze", places, graph.integers(2)), batch_dims=1)
    return graph.add("Reshape", states, graph.integers(0, width))


def _scaled(last: nn.Linear, task: ExportTask) -> nn.Linear:
    """The last map, which gives what the corpus asks for."""
    out = nn.Linear(last.in_features, last.out_features)
    with torch.no_grad():
        weight, bias = task.last_map(last.weight, last.bias)
        out.weight.copy_(weight)
        out.bias.copy_(bias)
    return out
