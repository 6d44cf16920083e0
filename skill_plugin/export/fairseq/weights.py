"""Weights of a slice by the names of fairseq's RoBERTa."""

from __future__ import annotations

import torch

from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.export.encoder_names import Weights, head_weights, put_encoder, put_last_map, put_module
from skill_plugin.kinds.export_task import ExportTask
from skill_plugin.pretrained.fairseq_roberta import ENCODER, MASKED_LM, UNUSED_POSITIONS


def fairseq_weights(sliced: Checkpoint, head: str, task: ExportTask, rows: int) -> Weights:
    """Weights by fairseq's names; the head of raw text, which its model must have, is zeros."""
    found = {f"encoder.{name}": t for name, t in put_encoder(sliced.state, ENCODER, rows, UNUSED_POSITIONS).items()}
    types = sliced.state.get("encoder.embeddings.token_types.weight")
    if types is not None:  # every token is of the first type
        found[f"encoder.{ENCODER.positions}.weight"][UNUSED_POSITIONS:] += types[0]
    own, place = head_weights(sliced.state, head), f"classification_heads.{head}"
    found |= put_module(own, "dense", f"{place}.dense") | put_last_map(own, task, f"{place}.out_proj")
    width = sliced.bundle.shape.width
    table = found[f"encoder.{ENCODER.tokens}.weight"]
    zeros: dict[str, tuple[int, ...]] = {
        f"{MASKED_LM.dense}.weight": (width, width),
        f"{MASKED_LM.dense}.bias": (width,),
        f"{MASKED_LM.norm}.weight": (width,),
        f"{MASKED_LM.norm}.bias": (width,),
        MASKED_LM.biases[0]: (rows,),
    }
    found |= {f"encoder.{name}": torch.zeros(size) for name, size in zeros.items()}
    return {**found, f"encoder.{MASKED_LM.output}": table}
