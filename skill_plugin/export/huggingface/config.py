"""``config.json`` of a slice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skill_plugin.export.huggingface.classes import CLASSES
from skill_plugin.export.huggingface.model_type import ModelType
from skill_plugin.kinds.export_task import ExportHead, ExportTask
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.variants.encoder_shape import EncoderShape


def hub_config(
    shape: EncoderShape,
    kind: ModelType,
    task: ExportTask,
    vocabulary: int,
    dtype: str,
    truncation: str,
    decoding: Mapping[str, Any],
) -> dict[str, Any]:
    """The config of a model with a head.

    Args:
        shape: sizes of the slice.
        kind: the encoder's type there.
        task: what the head is there.
        vocabulary: rows of the table of embeddings there.
        dtype: type of the weights, as torch names it.
        truncation: how texts that are too long together are cut, as the tokenizer's ``truncation`` names it.
        decoding: what the scripts beside it, or who reads its outputs, must know.
    """
    config: dict[str, Any] = {
        "architectures": [f"{kind.classes}{CLASSES[task.head]}"],
        "model_type": kind.name,
        "vocab_size": vocabulary,
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        "hidden_act": "gelu",
        "hidden_dropout_prob": shape.dropout,
        "attention_probs_dropout_prob": shape.attention_dropout,
        "max_position_embeddings": shape.positions + kind.unused_positions,
        "type_vocab_size": max(1, shape.token_types),
        "layer_norm_eps": shape.layer_norm_eps,
        "position_embedding_type": "absolute",
        "pad_token_id": Vocabulary.pad,
        "bos_token_id": Vocabulary.bos,
        "eos_token_id": Vocabulary.eos,
        "dtype": dtype,
        "truncation": truncation,
    }
    if task.labels and task.head in (ExportHead.SEQUENCE, ExportHead.TOKENS):
        config["id2label"] = {str(i): label for i, label in enumerate(task.labels)}
        config["label2id"] = {label: i for i, label in enumerate(task.labels)}
    if task.problem:
        config["problem_type"] = task.problem
    if decoding:
        config["decoding"] = dict(decoding)
    return config
