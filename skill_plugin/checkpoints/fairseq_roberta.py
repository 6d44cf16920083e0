"""fairseq's own RoBERTa and XLM-R ``model.pt``, with ``dict.txt`` and the tokenizer's files beside it.

Handles what fairseq wrote over the years: options as a pickled Namespace (``args``) or as ``cfg``, names that begin
with ``decoder.sentence_encoder.``, float16 weights, query, key and value in one ``in_proj_weight``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from skill_plugin.checkpoints.encoder_file import EncoderFile, EncoderFileConfig
from skill_plugin.checkpoints.source_weights import SourceWeights
from skill_plugin.errors import InputError
from skill_plugin.text.sentencepiece_tokenizer import (
    SentencePieceTokenizer,
    read_sentencepiece_model,
    sentencepiece_pieces,
)
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import gpt2_tokenizer
from skill_plugin.text.vocabulary import Vocabulary

_UNUSED_POSITIONS = 2  # positions count from the padding id 1 on
_EPS = 1e-5  # of every layer normalisation in fairseq, which has no option for it
_HEADS = {"roberta_base": 12, "xlmr_base": 12, "roberta_large": 16, "xlm": 16}  # defaults of old options
_PREFIX = re.compile(r"^(?:model\.)?(?:decoder|encoder)\.")
_SPM = ("sentencepiece.bpe.model", "sentencepiece.model", "spm.model")


def is_fairseq_encoder(content: Any) -> bool:
    """Whether a loaded file is a RoBERTa-like model of fairseq."""
    model = content.get("model") if isinstance(content, Mapping) else None
    return isinstance(model, Mapping) and any(".sentence_encoder.embed_tokens." in str(name) for name in model)


def read_fairseq_encoder(content: Mapping[str, Any], path: Path) -> EncoderFile:
    """The encoder of a loaded ``model.pt``.

    Args:
        content: what the file holds.
        path: of the file; its folder may hold ``dict.txt`` and ``sentencepiece.bpe.model``, or ``encoder.json`` and
            ``vocab.bpe``.

    Raises:
        InputError: weights are missing or misfit, or the model computes otherwise than RoBERTa and XLM-R do.
    """
    tensors = _today_names(content["model"])
    options = _options(content)
    config = _config(tensors, options, path)
    weights = SourceWeights(tensors, path, "the rest of the file")
    state = _take_encoder(weights, config)
    notes: list[str] = []
    state |= _take_masked_lm(weights, config, state["embeddings.tokens.weight"], notes)
    weights.check()
    text = _text(path.parent, config, notes)
    return EncoderFile(config, text, state, weights.left(), tuple(notes))


def _options(content: Mapping[str, Any]) -> dict[str, Any]:
    """The model's options, from whichever of the places fairseq kept them in."""
    config = content.get("cfg")
    model = None if config is None else config.get("model")  # a dict, or omegaconf's DictConfig
    for options in (model, content.get("args")):
        if options is not None:
            return dict(options) if hasattr(options, "keys") else dict(vars(options))
    return {}


def _today_names(model: Mapping[str, Any]) -> dict[str, Tensor]:
    """Without ``decoder.`` or ``encoder.`` in front, with today's names, and query, key and value apart."""
    names: dict[str, Tensor] = {}
    for name, tensor in model.items():
        if not isinstance(tensor, Tensor):
            continue
        name = _PREFIX.sub("", name).replace(".emb_layer_norm.", ".layernorm_embedding.")
        if name.endswith((".in_proj_weight", ".in_proj_bias")):
            stem, _, kind = name.rpartition("in_proj_")
            for part, piece in zip("qkv", tensor.chunk(3), strict=True):
                names[f"{stem}{part}_proj.{kind}"] = piece
        elif not name.endswith((".version", "._float_tensor")):
            names[name] = tensor
    return names


def _config(tensors: Mapping[str, Tensor], options: Mapping[str, Any], path: Path) -> EncoderFileConfig:
    """Sizes from the weights themselves; only the number of heads is an option."""
    activation = options.get("activation_fn", "gelu")
    if activation != "gelu":
        raise InputError(f"activation_fn is {activation!r}; only 'gelu' is supported", path)
    stem = "sentence_encoder"
    if f"{stem}.layer_norm.weight" in tensors:
        raise InputError("normalises before each layer (XLM-R XL and XXL do); only after it is supported", path)
    try:
        rows, width = tensors[f"{stem}.embed_tokens.weight"].shape
        positions = tensors[f"{stem}.embed_positions.weight"].shape[0] - _UNUSED_POSITIONS
        inner = tensors[f"{stem}.layers.0.fc1.weight"].shape[0]
    except (KeyError, ValueError) as error:
        raise InputError(f"lacks the weights {error.args[0]}", path) from None
    found = [re.match(rf"{stem}\.layers\.(\d+)\.", name) for name in tensors]
    layers = 1 + max(int(match[1]) for match in found if match)
    heads = options.get("encoder_attention_heads") or _HEADS.get(str(options.get("arch")))
    if not isinstance(heads, int) or width % heads:
        raise InputError(f"encoder_attention_heads is {heads!r}, expected a divisor of the width {width}", path)
    types = tensors.get(f"{stem}.segment_embeddings.weight")
    return EncoderFileConfig(
        layers=layers,
        width=width,
        heads=heads,
        feed_forward_width=inner,
        vocabulary=rows,
        positions=positions,
        token_types=0 if types is None else types.shape[0],
        layer_norm_eps=_EPS,
        source="xlm-roberta" if "multilingual" in str(options.get("task", "")) else "roberta",
    )


def _take_encoder(weights: SourceWeights, config: EncoderFileConfig) -> dict[str, Tensor]:
    d, f, stem = config.width, config.feed_forward_width, "sentence_encoder"
    positions = weights.take(f"{stem}.embed_positions.weight", config.positions + _UNUSED_POSITIONS, d)
    state = {
        "embeddings.tokens.weight": weights.take(f"{stem}.embed_tokens.weight", config.vocabulary, d),
        "embeddings.positions.weight": positions[_UNUSED_POSITIONS:].clone(),
        **weights.take_norm(f"{stem}.layernorm_embedding", "embeddings.norm", d),
    }
    if config.token_types:
        name = f"{stem}.segment_embeddings.weight"
        state["embeddings.token_types.weight"] = weights.take(name, config.token_types, d)
    for i in range(config.layers):
        source, target = f"{stem}.layers.{i}", f"layers.{i}"
        query, key, value = (f"{source}.self_attn.{part}_proj" for part in "qkv")
        state |= weights.take_qkv((query, key, value), f"{target}.attention.qkv", d)
        state |= weights.take_linear(f"{source}.self_attn.out_proj", f"{target}.attention.output", d, d)
        state |= weights.take_norm(f"{source}.self_attn_layer_norm", f"{target}.attention_norm", d)
        state |= weights.take_linear(f"{source}.fc1", f"{target}.feed_forward.fc1", f, d)
        state |= weights.take_linear(f"{source}.fc2", f"{target}.feed_forward.fc2", d, f)
        state |= weights.take_norm(f"{source}.final_layer_norm", f"{target}.feed_forward_norm", d)
    return state


def _take_masked_lm(
    weights: SourceWeights, config: EncoderFileConfig, embeddings: Tensor, notes: list[str]
) -> dict[str, Tensor]:
    """The masked-LM head where there is one that shares the embedding table."""
    if "lm_head.dense.weight" not in weights or "lm_head.bias" not in weights:
        return {}
    d, rows = config.width, config.vocabulary
    if "lm_head.weight" in weights and not torch.equal(weights.take("lm_head.weight", rows, d), embeddings):
        notes.append("the masked-LM head is left: its output matrix is not the embedding table")
        return {}
    weights.ignore("lm_head.weight")
    state = weights.take_linear("lm_head.dense", "masked_lm.dense", d, d)
    state |= weights.take_norm("lm_head.layer_norm", "masked_lm.norm", d)
    return state | {"masked_lm.bias": weights.take("lm_head.bias", rows)}


def _text(folder: Path, config: EncoderFileConfig, notes: list[str]) -> TextEncoder | None:
    """The tokenizer beside the model; without its files, as much as there is."""
    model = next((folder / name for name in _SPM if (folder / name).is_file()), None)
    spm = None if model is None else read_sentencepiece_model(model)
    dictionary = folder / "dict.txt"
    template = Template(2, token_types=False)
    if dictionary.is_file():
        vocabulary = Vocabulary.from_dict_txt(dictionary, mask=True)
    elif spm is not None:
        vocabulary, dictionary = Vocabulary.from_pieces(sentencepiece_pieces(spm)), Path(str(model))
        notes.append("no dict.txt beside the model: the vocabulary is the SentencePiece model's, in its order")
    else:
        notes.append("neither dict.txt nor a tokenizer beside the model: only the weights are imported")
        return None
    if len(vocabulary) == config.vocabulary + 1:  # a model without <mask>
        vocabulary = Vocabulary(vocabulary.symbols[:-1])
    if len(vocabulary) != config.vocabulary:
        raise InputError(
            f"gives {len(vocabulary):,} symbols with the special ones, the model has {config.vocabulary:,}", dictionary
        )
    if spm is not None:
        return TextEncoder(SentencePieceTokenizer(spm, vocabulary), vocabulary, template)
    if (folder / "encoder.json").is_file() and (folder / "vocab.bpe").is_file():
        return TextEncoder(gpt2_tokenizer(folder, vocabulary), vocabulary, template)
    beside = "encoder.json and vocab.bpe" if _is_numbered(vocabulary) else "sentencepiece.bpe.model"
    notes.append(f"no {beside} beside the model: imported without a tokenizer")
    return TextEncoder(None, vocabulary, template)


def _is_numbered(vocabulary: Vocabulary) -> bool:
    """GPT-2's BPE in fairseq: the symbols are numbers."""
    return len(vocabulary) > 5 and all(symbol.isdecimal() for symbol in vocabulary.symbols[4:6])
