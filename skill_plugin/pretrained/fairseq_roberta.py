"""fairseq's own RoBERTa and XLM-R ``model.pt``, with ``dict.txt`` and the tokenizer's files beside it.

Handles what fairseq wrote over the years: options as a pickled Namespace (``args``) or as ``cfg``, names that begin
with ``decoder.sentence_encoder.``, float16 weights, query, key and value in one ``in_proj_weight``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.pretrained.encoder_file import EncoderFile, EncoderFileConfig
from skill_plugin.pretrained.source_encoder import (
    EncoderNames,
    MaskedLmNames,
    PoolerNames,
    take_encoder,
    take_masked_lm,
    take_pooler,
)
from skill_plugin.pretrained.source_weights import SourceWeights
from skill_plugin.text.sentencepiece_tokenizer import (
    SentencePieceTokenizer,
    list_pieces,
    read_sentencepiece_model,
)
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import load_gpt2_tokenizer
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.weights.undamaged import checked_weights

UNUSED_POSITIONS = 2  # positions count from the padding id 1 on
EPS = 1e-5  # of every layer normalisation in fairseq, which has no option for it
_HEADS = {"roberta_base": 12, "xlmr_base": 12, "roberta_large": 16, "xlm": 16}  # defaults of old options
_PREFIX = re.compile(r"^(?:model\.)?(?:decoder|encoder)\.")
ENCODER = EncoderNames(
    tokens="sentence_encoder.embed_tokens",
    positions="sentence_encoder.embed_positions",
    token_types="sentence_encoder.segment_embeddings",
    norm="sentence_encoder.layernorm_embedding",
    layer="sentence_encoder.layers.{}",
    qkv=("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    attention_output="self_attn.out_proj",
    attention_norm="self_attn_layer_norm",
    fc1="fc1",
    fc2="fc2",
    feed_forward_norm="final_layer_norm",
)
MASKED_LM = MaskedLmNames("lm_head.dense", "lm_head.layer_norm", "lm_head.weight", ("lm_head.bias",))
_SPM = ("sentencepiece.bpe.model", "sentencepiece.model", "spm.model")


def is_fairseq_encoder(content: Any) -> bool:
    """Whether a loaded file is a RoBERTa-like model of fairseq."""
    model = content.get("model") if isinstance(content, Mapping) else None
    return isinstance(model, Mapping) and any(".sentence_encoder.embed_tokens." in str(name) for name in model)


def parse_fairseq_encoder(content: Mapping[str, Any], path: Path) -> EncoderFile:
    """The encoder of a loaded ``model.pt``.

    Args:
        content: what the file holds.
        path: path of the file; its folder may hold ``dict.txt`` and ``sentencepiece.bpe.model``, or ``encoder.json``
            and ``vocab.bpe``.

    Raises:
        InputError: weights are missing or misfit, or the model computes otherwise than RoBERTa and XLM-R do.
    """
    tensors = checked_weights(_today_names(content["model"]), path)
    options = _options(content)
    config = _config(tensors, options, path)
    weights = SourceWeights(tensors, path, "the rest of the file")
    state = take_encoder(weights, ENCODER, config, UNUSED_POSITIONS)
    head, notes = take_masked_lm(weights, MASKED_LM, config, state["embeddings.tokens.weight"])
    pooler, of_pooler = take_pooler(weights, _pooler_names(tensors, options), config)
    notes += of_pooler
    weights.check()
    text = _text(path.parent, config, notes)
    return EncoderFile(config, text, state | head | pooler, weights.left(), tuple(notes))


def _pooler_names(tensors: Mapping[str, Tensor], options: Mapping[str, Any]) -> PoolerNames:
    """fairseq's BERT has a pooler, its RoBERTa a dense map in each head that it was fine-tuned with: that of the only
    one will do. In ``sentence_projection_layer`` 1 is "follows"."""
    heads = [name for name in tensors if re.fullmatch(r"classification_heads\.[^.]+\.dense\.weight", name)]
    dense = ("masked_lm_pooler", *(name.removesuffix(".weight") for name in heads if len(heads) == 1))
    is_tanh = options.get("pooler_activation_fn", "tanh") == "tanh"
    return PoolerNames(dense if is_tanh else (), "sentence_projection_layer", next_first=False)


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
        positions = tensors[f"{stem}.embed_positions.weight"].shape[0] - UNUSED_POSITIONS
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
        layer_norm_eps=EPS,
        source="xlm-roberta" if "multilingual" in str(options.get("task", "")) else "roberta",
    )


def _text(folder: Path, config: EncoderFileConfig, notes: list[str]) -> TextEncoder | None:
    """The tokenizer beside the model; without its files, as much as there is."""
    model = next((folder / name for name in _SPM if (folder / name).is_file()), None)
    spm = None if model is None else read_sentencepiece_model(model)
    dictionary = folder / "dict.txt"
    template = Template(2, token_types=False)
    if dictionary.is_file():
        vocabulary = Vocabulary.from_dict_txt(dictionary, mask=True)
    elif spm is not None:
        vocabulary, dictionary = Vocabulary.from_pieces(list_pieces(spm)), Path(str(model))
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
        return TextEncoder(load_gpt2_tokenizer(folder, vocabulary), vocabulary, template)
    beside = "encoder.json and vocab.bpe" if _is_numbered(vocabulary) else "sentencepiece.bpe.model"
    notes.append(f"no {beside} beside the model: imported without a tokenizer")
    return TextEncoder(None, vocabulary, template)


def _is_numbered(vocabulary: Vocabulary) -> bool:
    """GPT-2's BPE in fairseq: the symbols are numbers."""
    return len(vocabulary) > 5 and all(symbol.isdecimal() for symbol in vocabulary.symbols[4:6])
