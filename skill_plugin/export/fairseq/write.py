"""Writes a slice as a checkpoint that fairseq's own RoBERTa loads, with what its hub interface looks for beside it.

That model has neither token types nor an epsilon of its own, and reads single texts and pairs with two separators.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.errors import InputError
from skill_plugin.export.encoder_names import head_weights
from skill_plugin.export.fairseq.run import MODEL, FairseqFolder
from skill_plugin.export.fairseq.tokenizer import is_gpt2, write_tokenizer
from skill_plugin.export.fairseq.usage import fairseq_usage
from skill_plugin.export.fairseq.weights import fairseq_weights
from skill_plugin.export.task_of import task_of
from skill_plugin.export.written import Written
from skill_plugin.kinds.export_task import ExportHead, ExportTask
from skill_plugin.pretrained.fairseq_roberta import EPS
from skill_plugin.text.sentencepiece_tokenizer import SentencePieceTokenizer
from skill_plugin.text.text_encoder import TextEncoder


def write_fairseq_folder(sliced: Checkpoint, corpus: str, folder: Path, dtype: str) -> Written:
    """Writes weights, dictionary and tokenizer.

    Args:
        sliced: the slice of the corpus.
        corpus: its corpus.
        folder: an empty folder.
        dtype: type of the weights.

    Raises:
        InputError: fairseq's model cannot be this one.
    """
    bundle, text = sliced.bundle, sliced.bundle.text_encoder
    head = bundle.corpus(corpus).head
    reading = corpus_reading(bundle, corpus)
    task = task_of(reading)
    if reason := _misfit(sliced, head, task, text):
        raise InputError(f"corpus {corpus!r}: fairseq's RoBERTa {reason}; use --format huggingface")
    rows = len(text.vocabulary) + (text.vocabulary.mask is None)  # its task adds a mask
    weights = fairseq_weights(sliced, head, task, rows)
    content = {
        "cfg": {
            "model": _model_config(bundle),
            "task": {"_name": "masked_lm", "data": "", "tokens_per_sample": bundle.shape.positions},
            "bpe": None,
        },
        "model": {name: tensor.to(getattr(torch, dtype)).clone() for name, tensor in weights.items()},
        # what fairseq would otherwise look for in the places of older versions
        "optimizer_history": [
            {"criterion_name": "masked_lm", "optimizer_name": "adam", "lr_scheduler_state": {}, "num_updates": 0}
        ],
        "last_optimizer_state": None,
        "extra_state": {"train_iterator": {"epoch": 1, "iterations_in_epoch": 0}},
    }
    torch.save(content, folder / MODEL)
    text.vocabulary.write_dict_txt(folder / "dict.txt")
    options = write_tokenizer(text, folder)
    exported = FairseqFolder(folder, head, options, task, reading.max_length, reading.joined_question)
    notes = (
        *task.notes,
        f"Texts that are longer than {bundle.length_of(corpus)} tokens together are to be cut by whoever calls it.",
    )
    return Written(exported, sliced.parameters, fairseq_usage(head, options), notes)


def _misfit(sliced: Checkpoint, head: str, task: ExportTask, text: TextEncoder) -> str | None:
    """What of a slice fairseq's model has not."""
    if task.head is not ExportHead.SEQUENCE:
        return f"has no head like that of the kind {sliced.bundle.corpus(next(iter(sliced.bundle.labels))).kind}"
    if "dense.weight" not in head_weights(sliced.state, head):
        return "has a dense map and tanh before a head's last map, and this was trained with --head linear"
    if text.template.token_types or text.template.separators != 2:
        return "knows no token types, and puts two separators between texts"
    if (eps := sliced.bundle.encoder_shape.layer_norm_eps) != EPS:
        return f"normalises with an epsilon of {EPS:g}, and this encoder with {eps:g}"
    if not isinstance(text.tokenizer, SentencePieceTokenizer) and not is_gpt2(text):
        return "has a SentencePiece model, or GPT-2's pieces by their numbers, for a tokenizer"
    return None


def _model_config(bundle: Bundle) -> dict[str, Any]:
    shape = bundle.shape
    return {
        "_name": "roberta",
        "arch": "roberta",
        "encoder_layers": shape.layers,
        "encoder_embed_dim": shape.width,
        "encoder_ffn_embed_dim": shape.inner,
        "encoder_attention_heads": shape.heads,
        "max_positions": shape.positions,
        "dropout": shape.dropout,
        "attention_dropout": shape.attention_dropout,
        "activation_fn": "gelu",
        "pooler_activation_fn": "tanh",
        "pooler_dropout": 0.0,
        "load_checkpoint_heads": True,
        "tokens_per_sample": shape.positions,
    }
