"""A pretrained model from a Hugging Face folder: BERT, RoBERTa or XLM-R, or mT5 (``pretrained/mt5.py``).

BERT's vocabulary is brought into fairseq's order (``[CLS]``, ``[PAD]``, ``[SEP]``, ``[UNK]`` first, ``[MASK]`` last),
and its embedding rows with it; RoBERTa's and XLM-R's are in that order already. RoBERTa's position table begins with
rows that no token uses (it counts positions from the padding id on); they are cut off.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import torch
from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.pretrained.encoder_file import VOCABULARY_ROWS, EncoderFile, EncoderFileConfig
from skill_plugin.pretrained.hub_config import HubConfig
from skill_plugin.pretrained.huggingface_weights import find_weights, read_weights
from skill_plugin.pretrained.mt5 import read_mt5_folder
from skill_plugin.pretrained.source_encoder import (
    EncoderNames,
    MaskedLmNames,
    PoolerNames,
    take_encoder,
    take_masked_lm,
    take_pooler,
)
from skill_plugin.pretrained.source_weights import SourceWeights
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import choose_template, find_tokenizer

ENCODER = EncoderNames(
    tokens="embeddings.word_embeddings",
    positions="embeddings.position_embeddings",
    token_types="embeddings.token_type_embeddings",
    norm="embeddings.LayerNorm",
    layer="encoder.layer.{}",
    qkv=("attention.self.query", "attention.self.key", "attention.self.value"),
    attention_output="attention.output.dense",
    attention_norm="attention.output.LayerNorm",
    fc1="intermediate.dense",
    fc2="output.dense",
    feed_forward_norm="output.LayerNorm",
)
ROBERTA_MASKED_LM = MaskedLmNames(
    "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder.weight", ("lm_head.bias", "lm_head.decoder.bias")
)
BERT_MASKED_LM = MaskedLmNames(
    "cls.predictions.transform.dense",
    "cls.predictions.transform.LayerNorm",
    "cls.predictions.decoder.weight",
    ("cls.predictions.bias", "cls.predictions.decoder.bias"),
)
# RoBERTa's classifiers have a map of their own in place of the pooler
POOLER = PoolerNames(("pooler.dense", "classifier.dense"), "cls.seq_relationship", next_first=True)


def read_huggingface_folder(folder: str | PathLike[str]) -> EncoderFile:
    """Reads ``config.json``, the weights and the tokenizer of a folder.

    Raises:
        InputError: a file is missing or damaged, the model is of another kind, weights are missing, or their sizes
            contradict ``config.json``.
    """
    folder = Path(folder)
    path = folder / "config.json"
    if not path.is_file():
        raise InputError("no such file: expected a Hugging Face folder with config.json, weights and a tokenizer", path)
    hub = HubConfig(path)
    if hub.is_mt5:
        return read_mt5_folder(folder, hub)
    config, cut = hub.encoder_config()
    weights_path = find_weights(folder)
    weights = SourceWeights(_plain_names(read_weights(weights_path)), weights_path, "config.json")
    state = take_encoder(weights, ENCODER, config, cut)
    masked_lm = BERT_MASKED_LM if config.source == "bert" else ROBERTA_MASKED_LM
    head, notes = take_masked_lm(weights, masked_lm, config, state["embeddings.tokens.weight"])
    pooler, of_pooler = take_pooler(weights, POOLER, config)
    notes += of_pooler
    weights.check()
    text, order = read_text(folder, config, hub)
    state |= head | pooler
    if order is not None:
        for name in VOCABULARY_ROWS:
            if name in state:
                state[name] = state[name][order]
    if text is None:
        notes.append("no tokenizer in the folder: only the weights are imported")
    return EncoderFile(config, text, state, weights.left(), tuple(notes))


def _plain_names(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Without the prefix of a model with a head, and with today's names of layer normalisations."""
    prefixes = [p for p in ("bert.", "roberta.") if any(name.startswith(f"{p}embeddings.") for name in tensors)]
    plain = {}
    for name, tensor in tensors.items():
        for prefix in prefixes:
            name = name.removeprefix(prefix)
        if name.endswith((".position_ids", ".token_type_ids")):
            continue  # buffers of counting numbers
        name = name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
        plain[name] = tensor
    return plain


def read_text(folder: Path, config: EncoderFileConfig, hub: HubConfig) -> tuple[TextEncoder | None, Tensor | None]:
    """The text encoder, and the order in which the embedding rows follow it."""
    source = find_tokenizer(folder)
    if source is None:
        return None, None
    try:
        vocabulary, order = source.arrange(config.vocabulary)
    except InputError as error:
        raise hub.fault("vocab_size", f"{source.file.name} beside it: {error.message}") from None
    template = choose_template(source, config.token_types)
    return TextEncoder(source.build(vocabulary), vocabulary, template), torch.from_numpy(order)
