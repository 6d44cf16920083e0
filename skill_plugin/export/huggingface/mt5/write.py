"""Writes a model that answers with texts, for one corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.errors import InputError
from skill_plugin.export.huggingface.mt5.run import SETTINGS, Mt5Folder
from skill_plugin.export.huggingface.mt5.tokenizer import mt5_tokenizer
from skill_plugin.export.huggingface.mt5.usage import mt5_usage
from skill_plugin.export.huggingface.write_files import write_files
from skill_plugin.export.written import Written
from skill_plugin.kinds.registry import kind_named
from skill_plugin.pretrained.encoder_file import VOCABULARY_ROWS
from skill_plugin.pretrained.mt5 import OUTPUT, SHARED, hub_names
from skill_plugin.text.named_texts import names_before
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.variants.t5_shape import T5Shape


def write_mt5_folder(sliced: Checkpoint, corpus: str, folder: Path, dtype: str) -> Written:
    """Writes weights, config and tokenizer.

    Args:
        sliced: the slice of the corpus.
        corpus: its corpus.
        folder: an empty folder.
        dtype: type of the weights.

    Raises:
        InputError: what the corpus asks is not written by a person as it is read here, there is no tokenizer that
            transformers could have, or the type of the weights is too small.
    """
    bundle, text, reading = sliced.bundle, sliced.bundle.text_encoder, corpus_reading(sliced.bundle, corpus)
    described, kind, shape = bundle.corpus(corpus), kind_named(bundle.corpus(corpus).kind), bundle.shape
    assert isinstance(shape, T5Shape)
    answers = kind.answer_texts(described, reading.labels, reading.facts)
    if not answers or kind.marks:
        raise InputError(
            f"corpus {corpus!r}: {described.kind} is not asked in names and texts alone; nothing else reads it"
        )
    if dtype == "float16":
        raise InputError("--dtype float16: mT5's activations overflow in it; use bfloat16")
    tokenizer, settings = mt5_tokenizer(text, bundle.length_of(corpus))
    before = names_before(described, bundle.prefixed)
    config = {**_config(shape, len(text.vocabulary) - 1, dtype), SETTINGS: {"before": before, "answers": list(answers)}}
    write_files(folder, _weights(sliced.state, shape), dtype, config, tokenizer, settings)
    exported = Mt5Folder(folder)
    return Written(exported, sliced.parameters, mt5_usage(exported))


def _config(shape: T5Shape, vocabulary: int, dtype: str) -> dict[str, Any]:
    return {
        "architectures": ["MT5ForConditionalGeneration"],
        "model_type": "mt5",
        "is_encoder_decoder": True,
        "vocab_size": vocabulary,
        "d_model": shape.width,
        "d_kv": shape.head_width,
        "d_ff": shape.inner,
        "num_layers": shape.layers,
        "num_decoder_layers": shape.decoder_layers,
        "num_heads": shape.heads,
        "relative_attention_num_buckets": shape.buckets,
        "relative_attention_max_distance": shape.distance,
        "dropout_rate": shape.dropout,
        "layer_norm_epsilon": shape.eps,
        "feed_forward_proj": "gated-gelu",
        # where they are tied, both tables are written: releases before 5 would divide what a tied one gives
        "tie_word_embeddings": False,
        "pad_token_id": Vocabulary.pad - 1,
        "eos_token_id": Vocabulary.eos - 1,
        "decoder_start_token_id": Vocabulary.pad - 1,
        "dtype": dtype,
    }


def _weights(state: Mapping[str, Tensor], shape: T5Shape) -> dict[str, Tensor]:
    """By transformers' names, without the row of ``<s>``."""
    found: dict[str, Tensor] = {}
    for name, sources in hub_names(shape).items():
        tensor = state[name][1:] if name in VOCABULARY_ROWS else state[name]
        found |= dict(zip(sources, tensor.chunk(len(sources)), strict=True))
    found.setdefault(OUTPUT, found[SHARED].clone())
    return found
