"""A pretrained encoder from a Hugging Face folder: BERT, RoBERTa or XLM-R.

BERT's vocabulary is brought into fairseq's order (``[CLS]``, ``[PAD]``, ``[SEP]``, ``[UNK]`` first, ``[MASK]`` last),
and its embedding rows with it; RoBERTa's and XLM-R's are in that order already. RoBERTa's position table begins with
rows that no token uses (it counts positions from the padding id on); they are cut off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from skill_plugin.checkpoints.encoder_file import EncoderFile, EncoderFileConfig
from skill_plugin.checkpoints.huggingface_weights import find_weights, read_weights
from skill_plugin.checkpoints.source_weights import SourceWeights
from skill_plugin.errors import InputError, nearest
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import find_tokenizer, read_json, read_text, template_of

MODEL_TYPES = ("bert", "roberta", "xlm-roberta")
_SIZES = ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size", "vocab_size")


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
    config, cut = hub.encoder_config()
    weights_path = find_weights(folder)
    weights = SourceWeights(_plain_names(read_weights(weights_path)), weights_path, "config.json")
    state = _take_encoder(weights, config, cut)
    head, notes = _take_masked_lm(weights, config, state["embeddings.tokens.weight"])
    weights.check()
    text, order = _text(folder, config, hub)
    state |= head
    if order is not None:
        for name in ("embeddings.tokens.weight", "masked_lm.bias"):
            if name in state:
                state[name] = state[name][order]
    if text is None:
        notes.append("no tokenizer in the folder: only the weights are imported")
    return EncoderFile(config, text, state, weights.left(), tuple(notes))


class HubConfig:
    """``config.json``, checked key by key; faults carry the key's line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.values = read_json(path)
        self._lines = read_text(path).split("\n")

    def fault(self, key: str, message: str) -> InputError:
        """An error that points at a key."""
        mark = json.dumps(key)
        lines = [number for number, line in enumerate(self._lines, 1) if mark in line]
        return InputError(message, self.path, lines[0] if lines else None)

    def encoder_config(self) -> tuple[EncoderFileConfig, int]:
        """Sizes, and how many rows at the beginning of the position table no token uses.

        Raises:
            InputError: the model is of a kind, or computes in a way, that the encoder does not know.
        """
        kind = self.values.get("model_type")
        if kind not in MODEL_TYPES:
            raise self.fault("model_type", f"unknown model_type {kind!r}{nearest(str(kind), MODEL_TYPES)}")
        self._require("hidden_act", "gelu", "gelu")
        self._require("position_embedding_type", "absolute", "absolute")
        for key in ("is_decoder", "add_cross_attention"):
            self._require(key, False, False)
        layers, width, heads, inner, rows = (self._count(key) for key in _SIZES)
        if width % heads:
            raise self.fault("num_attention_heads", f"hidden_size {width} is not divisible by {heads} heads")
        cut = 0 if kind == "bert" else self._whole(self.values.get("pad_token_id", 1), "pad_token_id", 0) + 1
        positions = self._count("max_position_embeddings") - cut
        types = self._whole(self.values.get("type_vocab_size", 2), "type_vocab_size", 0)
        eps = self.values.get("layer_norm_eps", 1e-12)
        if isinstance(eps, bool) or not isinstance(eps, int | float) or eps <= 0:
            raise self.fault("layer_norm_eps", f"layer_norm_eps is {eps!r}, expected a small number")
        return EncoderFileConfig(layers, width, heads, inner, rows, positions, types, float(eps), kind), cut

    def _require(self, key: str, value: Any, default: Any) -> None:
        found = self.values.get(key, default)
        if found != value:
            raise self.fault(key, f"{key} is {found!r}; only {value!r} is supported")

    def _count(self, key: str) -> int:
        if key not in self.values:
            raise self.fault(key, f"{key} is missing")
        return self._whole(self.values[key], key, 1)

    def _whole(self, value: Any, key: str, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.fault(key, f"{key} is {value!r}, expected a whole number from {least}")
        return value


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


def _take_encoder(weights: SourceWeights, config: EncoderFileConfig, cut: int) -> dict[str, Tensor]:
    d, f = config.width, config.feed_forward_width
    positions = weights.take("embeddings.position_embeddings.weight", config.positions + cut, d)
    state = {
        "embeddings.tokens.weight": weights.take("embeddings.word_embeddings.weight", config.vocabulary, d),
        "embeddings.positions.weight": positions[cut:].clone(),
        **weights.take_norm("embeddings.LayerNorm", "embeddings.norm", d),
    }
    if config.token_types:
        name = "embeddings.token_type_embeddings.weight"
        state["embeddings.token_types.weight"] = weights.take(name, config.token_types, d)
    for i in range(config.layers):
        source, target = f"encoder.layer.{i}", f"layers.{i}"
        query, key, value = (f"{source}.attention.self.{part}" for part in ("query", "key", "value"))
        state |= weights.take_qkv((query, key, value), f"{target}.attention.qkv", d)
        state |= weights.take_linear(f"{source}.attention.output.dense", f"{target}.attention.output", d, d)
        state |= weights.take_norm(f"{source}.attention.output.LayerNorm", f"{target}.attention_norm", d)
        state |= weights.take_linear(f"{source}.intermediate.dense", f"{target}.feed_forward.fc1", f, d)
        state |= weights.take_linear(f"{source}.output.dense", f"{target}.feed_forward.fc2", d, f)
        state |= weights.take_norm(f"{source}.output.LayerNorm", f"{target}.feed_forward_norm", d)
    return state


def _take_masked_lm(
    weights: SourceWeights, config: EncoderFileConfig, embeddings: Tensor
) -> tuple[dict[str, Tensor], list[str]]:
    """The masked-LM head where there is one that shares the embedding table."""
    if config.source == "bert":
        head, dense, norm = "cls.predictions", "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm"
    else:
        head, dense, norm = "lm_head", "lm_head.dense", "lm_head.layer_norm"
    bias = f"{head}.bias" if f"{head}.bias" in weights else f"{head}.decoder.bias"
    if f"{dense}.weight" not in weights or bias not in weights:
        return {}, []
    output = f"{head}.decoder.weight"
    if output in weights and not torch.equal(weights.take(output, config.vocabulary, config.width), embeddings):
        return {}, ["the masked-LM head is left: its output matrix is not the embedding table"]
    weights.ignore(output, f"{head}.decoder.bias")
    d = config.width
    state = weights.take_linear(dense, "masked_lm.dense", d, d) | weights.take_norm(norm, "masked_lm.norm", d)
    return state | {"masked_lm.bias": weights.take(bias, config.vocabulary)}, []


def _text(folder: Path, config: EncoderFileConfig, hub: HubConfig) -> tuple[TextEncoder | None, Tensor | None]:
    """The text encoder, and the order in which the embedding rows follow it."""
    source = find_tokenizer(folder)
    if source is None:
        return None, None
    try:
        vocabulary, order = source.arrange(config.vocabulary)
    except InputError as error:
        raise hub.fault("vocab_size", error.message) from None
    template = template_of(source, config.token_types)
    return TextEncoder(source.build(vocabulary), vocabulary, template), torch.from_numpy(order)
