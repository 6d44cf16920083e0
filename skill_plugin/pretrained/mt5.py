"""mT5 from a Hugging Face folder, encoder and decoder, with its SentencePiece model.

The vocabulary is brought into fairseq's order: ``<s>``, which mT5 does not have, ``<pad>``, ``</s>``, ``<unk>``, then
the pieces, of which ``▁<extra_id_N>`` stand for corrupted spans. The row of ``<s>`` is zeros, since nothing reads or
writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.pretrained.encoder_file import VOCABULARY_ROWS, EncoderFile, expected_sizes
from skill_plugin.pretrained.hub_config import HubConfig
from skill_plugin.pretrained.huggingface_weights import find_weights, read_weights
from skill_plugin.pretrained.source_weights import SourceWeights
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import find_t5_tokenizer
from skill_plugin.variants.t5_shape import T5Shape

SHARED, OUTPUT = "shared.weight", "lm_head.weight"


def hub_names(shape: T5Shape) -> dict[str, tuple[str, ...]]:
    """For each weight of ``TextToTextModel`` those of transformers' mT5 that it is made of, one below the other."""
    names: dict[str, tuple[str, ...]] = {"encoder.embeddings.tokens.weight": (SHARED,)}
    stacks = (
        ("encoder", "encoder.embeddings.positions", shape.layers, 1),
        ("decoder", "decoder.positions", shape.decoder_layers, 2),
    )
    for stack, positions, layers, feed_forward in stacks:
        names[f"{positions}.weight"] = (f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight",)
        names[f"{stack}.norm.weight"] = (f"{stack}.final_layer_norm.weight",)
        for number in range(layers):
            ours, theirs = f"{stack}.layers.{number}", f"{stack}.block.{number}.layer"
            parts = {
                "attention_norm": ("0.layer_norm",),
                "attention.qkv": tuple(f"0.SelfAttention.{part}" for part in "qkv"),
                "attention.output": ("0.SelfAttention.o",),
                "feed_forward_norm": (f"{feed_forward}.layer_norm",),
                "feed_forward.fc1": tuple(f"{feed_forward}.DenseReluDense.{part}" for part in ("wi_0", "wi_1")),
                "feed_forward.fc2": (f"{feed_forward}.DenseReluDense.wo",),
            }
            if stack == "decoder":
                parts |= {
                    "cross_attention_norm": ("1.layer_norm",),
                    "cross_attention.query": ("1.EncDecAttention.q",),
                    "cross_attention.key_value": ("1.EncDecAttention.k", "1.EncDecAttention.v"),
                    "cross_attention.output": ("1.EncDecAttention.o",),
                }
            for own, sources in parts.items():
                names[f"{ours}.{own}.weight"] = tuple(f"{theirs}.{source}.weight" for source in sources)
    if not shape.tied:
        names["decoder.output.weight"] = (OUTPUT,)
    return names


def read_mt5_folder(folder: Path, hub: HubConfig) -> EncoderFile:
    """Reads the weights and the tokenizer of a folder.

    Whether logits have a table of their own the weights say, as for transformers: a ``lm_head`` that differs from the
    table of embeddings.

    Raises:
        InputError: a file is missing or damaged, weights are missing, or their sizes contradict ``config.json``.
    """
    shape = hub.t5_shape()
    path = find_weights(folder)
    found = _plain_names(read_weights(path))
    weights = SourceWeights(found, path, "config.json")
    shared = weights.take(SHARED, shape.vocabulary, shape.width)
    shape = replace(shape, tied=OUTPUT not in weights or weights.is_equal(OUTPUT, shared))
    state = {}
    sizes = expected_sizes(shape)
    for name, sources in hub_names(shape).items():
        rows, *columns = sizes[name]
        parts = [weights.take(source, rows // len(sources), *columns) for source in sources]
        state[name] = torch.cat(parts) if len(parts) > 1 else parts[0]
    weights.ignore(OUTPUT)
    weights.check()
    text, order = read_text(folder, shape, hub)
    state |= {name: _reordered(state[name], order) for name in VOCABULARY_ROWS if name in state}
    shape = replace(shape, vocabulary=len(order))
    notes = ("no tokenizer in the folder: only the weights are imported",) if text is None else ()
    return EncoderFile(shape, text, state, weights.left(), notes)


def _plain_names(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Without the copies of the table of embeddings that older releases of transformers wrote, with one by its name."""
    copies = [f"{stack}.embed_tokens.weight" for stack in ("encoder", "decoder")]
    plain = {name: tensor for name, tensor in tensors.items() if name not in copies}
    table = next((tensors[name] for name in (SHARED, *copies) if name in tensors), None)
    return plain if table is None else {**plain, SHARED: table}


def read_text(folder: Path, shape: T5Shape, hub: HubConfig) -> tuple[TextEncoder | None, Tensor]:
    """The text encoder, and the order in which the rows of tables follow it, -1 for one that there is not."""
    source = find_t5_tokenizer(folder, shape.vocabulary)
    if source is None:
        return None, torch.arange(-1, shape.vocabulary)  # its own order, but for <s>
    try:
        vocabulary, order = source.arrange(shape.vocabulary)
    except InputError as error:
        raise hub.fault("vocab_size", f"{source.file.name} beside it: {error.message}") from None
    text = TextEncoder(source.build(vocabulary), vocabulary, Template.of_text_to_text())
    return text, torch.from_numpy(order)


def _reordered(table: Tensor, order: Tensor) -> Tensor:
    """Rows of a table in another order [V, D], zeros where that is -1."""
    return table[order.clamp(min=0)].masked_fill_((order < 0)[:, None], 0.0)
