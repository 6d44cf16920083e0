"""The encoder of a slice by the names of another program: the reverse of ``pretrained.source_encoder``.

Axes: V symbols, P positions, D width.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from skill_plugin.kinds.export_task import ExportTask
from skill_plugin.pretrained.source_encoder import EncoderNames
from skill_plugin.text.vocabulary import Vocabulary

Weights = dict[str, Tensor]


def put_encoder(state: Mapping[str, Tensor], names: EncoderNames, rows: int, unused_positions: int) -> Weights:
    """The encoder's weights but for its token types.

    Args:
        state: of a slice, by the names of ``MultitaskModel.state_dict``.
        names: names that the program uses.
        rows: of its table of embeddings; those past V are copies of ``<unk>``'s.
        unused_positions: rows at the beginning of its position table that no token uses.
    """
    own = {name.removeprefix("encoder."): tensor for name, tensor in state.items() if name.startswith("encoder.")}
    positions = own["embeddings.positions.weight"]
    unused = positions.new_zeros(unused_positions, positions.shape[1])
    found = {
        f"{names.tokens}.weight": with_rows(own["embeddings.tokens.weight"], rows),
        f"{names.positions}.weight": torch.cat([unused, positions]),
        **put_module(own, "embeddings.norm", names.norm),
    }
    for number in range(sum(name.endswith(".fc1.weight") for name in own)):
        layer, place = f"layers.{number}", names.layer.format(number)
        for part in ("weight", "bias"):
            for name, tensor in zip(names.qkv, own[f"{layer}.attention.qkv.{part}"].chunk(3), strict=True):
                found[f"{place}.{name}.{part}"] = tensor
        for ours, theirs in (
            ("attention.output", names.attention_output),
            ("attention_norm", names.attention_norm),
            ("feed_forward.fc1", names.fc1),
            ("feed_forward.fc2", names.fc2),
            ("feed_forward_norm", names.feed_forward_norm),
        ):
            found |= put_module(own, f"{layer}.{ours}", f"{place}.{theirs}")
    return found


def put_module(state: Mapping[str, Tensor], ours: str, theirs: str) -> Weights:
    """Weight and bias of a module by its other name."""
    return {f"{theirs}.{part}": state[f"{ours}.{part}"] for part in ("weight", "bias")}


def put_last_map(head: Mapping[str, Tensor], task: ExportTask, theirs: str) -> Weights:
    """The last map of a head by its other name; it gives what the corpus asks for.

    Args:
        head: as ``head_weights`` gives it.
        task: what the head is.
        theirs: the other name.
    """
    weight, bias = task.last_map(head["out_proj.weight"], head["out_proj.bias"])
    return {f"{theirs}.weight": weight, f"{theirs}.bias": bias}


def with_rows(table: Tensor, rows: int) -> Tensor:
    """A table with a row for each id of a tokenizer, ``<unk>``'s for ids past its own."""
    missing = rows - len(table)
    return torch.cat([table, table[Vocabulary.unk, None].expand(missing, *table.shape[1:])]) if missing > 0 else table


def head_weights(state: Mapping[str, Tensor], head: str) -> Weights:
    """The weights of a head by their names inside it."""
    return {name.split(".", 2)[2]: tensor for name, tensor in state.items() if name.startswith(f"heads.{head}.")}
