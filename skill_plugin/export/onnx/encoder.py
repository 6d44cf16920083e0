"""The encoder in a graph."""

from __future__ import annotations

from typing import cast

from skill_plugin.export.encoder_names import with_rows
from skill_plugin.export.onnx.attention import Attention
from skill_plugin.export.onnx.feed_forward import add_bottleneck, add_feed_forward
from skill_plugin.export.onnx.graph import Graph
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.conditional.encoder import ConditionalEncoder
from skill_plugin.nn.dense_slice import check_known, plain_alignment, plain_norm, task_embedding
from skill_plugin.nn.embeddings import Embeddings
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.encoder_layer import EncoderLayer


def add_encoder(graph: Graph, encoder: Encoder, active: ActiveSet, rows: int, first_only: bool) -> tuple[str, str]:
    """Hidden states of the last layer.

    Args:
        graph: the graph.
        encoder: without adapters.
        active: what the corpus activates.
        rows: of the table of embeddings; those past V are copies of ``<unk>``'s.
        first_only: whether those of the first tokens are enough. Above the last layer's keys and values nothing else
            is computed then.

    Returns:
        States [B, T, D], or [B, 1, D], and the table of embeddings [rows, D].

    Raises:
        NotDenseError: the encoder, or a module of it, is of a class that is not known here.
    """
    check_known(encoder, "the encoder", Encoder, ConditionalEncoder)
    z = task_embedding(encoder, active)
    table = graph.weight(with_rows(encoder.embeddings.tokens.weight, rows))
    x = _embeddings(graph, encoder.embeddings, table)
    skip = encoder.skip_path if isinstance(encoder, ConditionalEncoder) else None
    if isinstance(encoder, ConditionalEncoder) and encoder.alignment is not None:
        assert z is not None
        x = graph.linear(x, plain_alignment(encoder.alignment, active, z))
    attention = Attention(graph, active, z, encoder.embeddings.positions.num_embeddings)
    carried: str | None = None
    for number, layer in enumerate(cast(EncoderLayer, one) for one in encoder.layers):
        first = _first(graph, x) if first_only and number == len(encoder.layers) - 1 else None
        attended = graph.add("Add", first or x, attention.add(x, layer.attention, first))
        x = graph.norm(attended, plain_norm(layer.attention_norm, z))
        fed = graph.add("Add", x, add_feed_forward(graph, x, layer.feed_forward, active, z))
        x = graph.norm(fed, plain_norm(layer.feed_forward_norm, z))
        if skip is not None:
            assert z is not None
            if carried is not None:
                carried = graph.add("Add", x, carried if first is None else _first(graph, carried))
            carried = add_bottleneck(graph, carried or x, skip.bottlenecks[number], z)  # type: ignore[arg-type]
    return (x if carried is None else graph.add("Add", x, carried)), table


def _embeddings(graph: Graph, module: Embeddings, table: str) -> str:
    """[B, T, D]"""
    positions = module.positions.weight
    if module.token_types is not None and module.token_types.num_embeddings == 1:  # which every token is of
        positions = positions + module.token_types.weight
    longest = graph.add("Shape", "input_ids", start=1)
    here = graph.add("Slice", graph.weight(positions), graph.integers(0), longest, graph.integers(0))
    x = graph.add("Add", graph.add("Gather", table, "input_ids"), here)
    if module.token_types is not None and module.token_types.num_embeddings > 1:
        x = graph.add("Add", x, graph.add("Gather", graph.weight(module.token_types.weight), "token_type_ids"))
    return graph.norm(x, module.norm)


def _first(graph: Graph, x: str) -> str:
    """[B, T, D] -> [B, 1, D]"""
    return graph.add("Slice", x, graph.integers(0), graph.integers(1), graph.integers(1))
