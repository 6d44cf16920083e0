"""Weights of a slice by the names of transformers' models.

Axes: V symbols, P positions, D width, T token types, C outputs.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.export.encoder_names import Weights, head_weights, put_encoder, put_last_map, put_module, with_rows
from skill_plugin.export.huggingface.model_type import BERT, ModelType
from skill_plugin.kinds.export_task import ExportHead, ExportTask
from skill_plugin.pretrained.huggingface import BERT_MASKED_LM, ENCODER, POOLER, ROBERTA_MASKED_LM


def hub_weights(state: Mapping[str, Tensor], head: str, task: ExportTask, kind: ModelType, vocabulary: int) -> Weights:
    """The weights of a model with a head.

    Args:
        state: of a slice, by the names of ``MultitaskModel.state_dict``.
        head: name of its head.
        task: what the head is there.
        kind: the encoder's type there.
        vocabulary: rows of the table of embeddings there; those past V are copies of ``<unk>``'s.

    Raises:
        InputError: a head without a dense map, for a class that has one.
    """
    encoder = put_encoder(state, ENCODER, vocabulary, kind.unused_positions)
    types = state.get("encoder.embeddings.token_types.weight")
    positions = state["encoder.embeddings.positions.weight"]
    encoder[f"{ENCODER.token_types}.weight"] = positions.new_zeros(1, positions.shape[1]) if types is None else types
    found = {f"{kind.prefix}{name}": tensor for name, tensor in encoder.items()}
    found |= _head(head_weights(state, head), task, kind)
    if task.head is ExportHead.MASKED:
        names = BERT_MASKED_LM if kind is BERT else ROBERTA_MASKED_LM
        found[names.biases[0]] = with_rows(state[f"heads.{head}.bias"], vocabulary)
    return {name: tensor.contiguous() for name, tensor in found.items()}


def _head(own: Mapping[str, Tensor], task: ExportTask, kind: ModelType) -> Weights:
    """The head's weights."""
    if task.head is ExportHead.MASKED:
        names = BERT_MASKED_LM if kind is BERT else ROBERTA_MASKED_LM
        return put_module(own, "dense", names.dense) | put_module(own, "norm", names.norm)
    if task.head is ExportHead.TOKENS:
        return put_last_map(own, task, "classifier")
    if task.head is ExportHead.SPAN:
        return put_last_map(own, task, "qa_outputs")
    if "dense.weight" not in own:
        raise InputError("trained with --head linear: transformers' class has a dense map and tanh before its last one")
    if task.head is ExportHead.SEQUENCE and kind is not BERT:
        return put_module(own, "dense", "classifier.dense") | put_last_map(own, task, "classifier.out_proj")
    return put_module(own, "dense", f"{kind.prefix}{POOLER.dense[0]}") | put_last_map(own, task, "classifier")
