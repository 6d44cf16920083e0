"""An encoder and its masked-LM head out of another program's weights, by a table of that program's names."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from skill_plugin.pretrained.encoder_file import EncoderFileConfig
from skill_plugin.pretrained.source_weights import SourceWeights


@dataclass(frozen=True)
class EncoderNames:
    """Where a program keeps the weights of an encoder, without ``.weight`` and ``.bias``.

    Attributes:
        tokens, positions, token_types, norm: names of the parts of the embeddings.
        layer: name of a layer, ``{}`` for its number from 0; what follows is inside the layer.
        qkv: names of the query, key and value maps.
        attention_output, attention_norm, fc1, fc2, feed_forward_norm: as in ``encoder_file``.
    """

    tokens: str
    positions: str
    token_types: str
    norm: str
    layer: str
    qkv: tuple[str, str, str]
    attention_output: str
    attention_norm: str
    fc1: str
    fc2: str
    feed_forward_norm: str


@dataclass(frozen=True)
class MaskedLmNames:
    """Where a program keeps a masked-LM head.

    Attributes:
        dense, norm: without ``.weight`` and ``.bias``.
        output: name of the matrix that should be the embedding table, in full.
        biases: names of the bias of the vocabulary, in full; the first that is there counts, the others repeat it.
    """

    dense: str
    norm: str
    output: str
    biases: tuple[str, ...]


@dataclass(frozen=True)
class PoolerNames:
    """Where a program keeps the dense map over the first token, and what tells a following text by it.

    Attributes:
        dense: names of the map, without ``.weight`` and ``.bias``; the first that is there counts.
        next_sentence: likewise of the map to two numbers.
        next_first: whether the first of the two says that the text follows, as in BERT, rather than the second.
    """

    dense: tuple[str, ...]
    next_sentence: str
    next_first: bool


def take_encoder(
    weights: SourceWeights, names: EncoderNames, config: EncoderFileConfig, unused_positions: int
) -> dict[str, Tensor]:
    """The encoder under the names of ``encoder_file``.

    Args:
        weights: weights of the program.
        names: names that the program uses.
        config: sizes of the encoder.
        unused_positions: rows at the beginning of the position table that no token uses; they are cut off.

    Raises:
        InputError: a weight has another size. Missing ones are told by ``SourceWeights.check``.
    """
    d, f = config.width, config.feed_forward_width
    positions = weights.take(f"{names.positions}.weight", config.positions + unused_positions, d)
    state = {
        "embeddings.tokens.weight": weights.take(f"{names.tokens}.weight", config.vocabulary, d),
        "embeddings.positions.weight": positions[unused_positions:].clone(),
        **weights.take_norm(names.norm, "embeddings.norm", d),
    }
    if config.token_types:
        state["embeddings.token_types.weight"] = weights.take(f"{names.token_types}.weight", config.token_types, d)
    for i in range(config.layers):
        source, target = names.layer.format(i), f"layers.{i}"
        query, key, value = (f"{source}.{part}" for part in names.qkv)
        state |= weights.take_qkv((query, key, value), f"{target}.attention.qkv", d)
        state |= weights.take_linear(f"{source}.{names.attention_output}", f"{target}.attention.output", d, d)
        state |= weights.take_norm(f"{source}.{names.attention_norm}", f"{target}.attention_norm", d)
        state |= weights.take_linear(f"{source}.{names.fc1}", f"{target}.feed_forward.fc1", f, d)
        state |= weights.take_linear(f"{source}.{names.fc2}", f"{target}.feed_forward.fc2", d, f)
        state |= weights.take_norm(f"{source}.{names.feed_forward_norm}", f"{target}.feed_forward_norm", d)
    return state


def take_masked_lm(
    weights: SourceWeights, names: MaskedLmNames, config: EncoderFileConfig, embeddings: Tensor
) -> tuple[dict[str, Tensor], list[str]]:
    """The masked-LM head where there is one that scores by the embedding table [V, D], and what to say if it does not.

    Raises:
        InputError: a weight has another size.
    """
    d, rows = config.width, config.vocabulary
    bias = next((name for name in names.biases if name in weights), None)
    if f"{names.dense}.weight" not in weights or bias is None:
        return {}, []
    if names.output in weights and not weights.is_equal(names.output, embeddings):
        return {}, ["the masked-LM head is left: its output matrix is not the embedding table"]
    weights.ignore(names.output, *names.biases)
    state = weights.take_linear(names.dense, "masked_lm.dense", d, d)
    state |= weights.take_norm(names.norm, "masked_lm.norm", d)
    return state | {"masked_lm.bias": weights.take(bias, rows)}, []


def take_pooler(
    weights: SourceWeights, names: PoolerNames, config: EncoderFileConfig
) -> tuple[dict[str, Tensor], list[str]]:
    """The pooler where there is one, with what reads it, and what to say of where it came from."""
    d = config.width
    found = (n for n in names.dense if weights.has_size(f"{n}.weight", d, d) and weights.has_size(f"{n}.bias", d))
    dense = next(found, None)
    if dense is None:
        return {}, []
    state = weights.take_linear(dense, "pooler.dense", d, d)
    notes = [] if dense == names.dense[0] else [f"the pooler is {dense}, as training for a task has left it"]
    if weights.has_size(f"{names.next_sentence}.weight", 2, d):
        weight = weights.take(f"{names.next_sentence}.weight", 2, d)
        has_bias = f"{names.next_sentence}.bias" in weights
        bias = weights.take(f"{names.next_sentence}.bias", 2) if has_bias else weight.new_zeros(2)
        order = [0, 1] if names.next_first else [1, 0]
        state |= {"next_sentence.weight": weight[order], "next_sentence.bias": bias[order]}
    return state, notes
