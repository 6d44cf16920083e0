"""The file of a pretrained model: what ``skill-plugin import`` writes and ``--init-from`` reads.

Axes: V symbols, P positions, D width, F feed-forward width, T token types. Names of the weights, all float32:

- ``embeddings.tokens.weight`` [V, D], ``embeddings.positions.weight`` [P, D] (row 0 is the first token's),
  ``embeddings.token_types.weight`` [T, D] where the source has them, ``embeddings.norm.{weight,bias}``
- ``layers.N.attention.qkv.{weight [3D, D],bias}`` (query, key, value), ``layers.N.attention.output.{weight,bias}``,
  ``layers.N.attention_norm.{weight,bias}``, ``layers.N.feed_forward.fc1.{weight [F, D],bias}``,
  ``layers.N.feed_forward.fc2.{weight [D, F],bias}``, ``layers.N.feed_forward_norm.{weight,bias}``
- ``masked_lm.{dense.weight,dense.bias,norm.weight,norm.bias,bias}`` where the source has the head
- ``pooler.dense.{weight [D, D],bias}`` where the source has a dense map, then tanh, over the first token; with it
  ``next_sentence.{weight [2, D],bias}``, of which row 0 says that a text follows, where the source has that

mT5, an encoder with a decoder, has the names of ``TextToTextModel`` (``encoder.…``, ``decoder.…``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.files.validated import validate
from skill_plugin.nn.initialise import NoFreshWeights
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.model_shape import ModelShape
from skill_plugin.variants.mt5 import build_mt5
from skill_plugin.variants.t5_shape import T5Shape
from skill_plugin.weights.torch_file import write_torch_file
from skill_plugin.weights.undamaged import checked_weights, first_line

FORMAT = "skill_plugin.encoder"
VERSION = 1
# weights with a row for each symbol, of encoders and of mT5
VOCABULARY_ROWS = (
    "embeddings.tokens.weight",
    "masked_lm.bias",
    "encoder.embeddings.tokens.weight",
    "decoder.output.weight",
)
HEADS = ("masked_lm.", "pooler.", "next_sentence.")  # how the names of weights that are not the encoder's begin
_WHOLE = (*HEADS, "encoder.", "decoder.")


@dataclass(frozen=True)
class EncoderFileConfig:
    """Sizes of an encoder; ``token_types`` is the number of rows, 0 = none; ``source`` is the kind of model."""

    layers: int
    width: int
    heads: int
    feed_forward_width: int
    vocabulary: int
    positions: int
    token_types: int
    layer_norm_eps: float
    source: str

    @property
    def shape(self) -> EncoderShape:
        """The same sizes as a model has them."""
        return EncoderShape(
            layers=self.layers,
            width=self.width,
            heads=self.heads,
            inner=self.feed_forward_width,
            vocabulary=self.vocabulary,
            positions=self.positions,
            token_types=self.token_types,
            layer_norm_eps=self.layer_norm_eps,
        )


@dataclass(frozen=True)
class EncoderFile:
    """A pretrained encoder, or mT5.

    Attributes:
        config: its sizes.
        text: its tokenizer, vocabulary and template; None where nothing of the kind came with the weights.
        state: weights by the names above.
        left: names of the source's weights that were not taken.
        notes: what a person should know about the import, a line each.
    """

    config: EncoderFileConfig | T5Shape
    text: TextEncoder | None
    state: dict[str, Tensor]
    left: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def shape(self) -> ModelShape:
        """Sizes of the model that it is of."""
        return self.config if isinstance(self.config, T5Shape) else self.config.shape


def name_in_model(name: str) -> str:
    """The name that a weight of a file has beside a model's: an encoder's are below ``encoder.`` there."""
    return name if name.startswith(_WHOLE) else f"encoder.{name}"


def save_encoder_file(encoder: EncoderFile, path: str | PathLike[str]) -> None:
    """Writes an encoder file; it is whole or absent.

    Raises:
        InputError: the folder does not exist or cannot be written.
    """
    content = {
        "format": FORMAT,
        "version": VERSION,
        "config": asdict(encoder.config),
        "text": None if encoder.text is None else encoder.text.to_state(),
        "model": encoder.state,
    }
    write_torch_file(content, Path(path))


def is_encoder_file(content: Any) -> bool:
    """Whether what a file holds was written by ``save_encoder_file``."""
    return isinstance(content, Mapping) and content.get("format") == FORMAT


def parse_encoder_file(content: Mapping[str, Any], path: Path) -> EncoderFile:
    """Makes the encoder from what its file holds.

    Args:
        content: what the file holds; ``is_encoder_file`` must be true of it.
        path: path of the file, for messages.

    Raises:
        InputError: of another version, damaged, or weights are missing or misfit.
    """
    if content.get("version") != VERSION:
        raise InputError(f"an encoder file of version {content.get('version')!r}, expected {VERSION}", path)
    try:
        config = _read_config(content["config"], path)
        text = None if content["text"] is None else TextEncoder.from_state(content["text"])
        state = checked_weights(content["model"], path)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"a damaged encoder file ({first_line(error)})", path) from None
    except InputError as error:
        raise InputError(error.message, path) from None
    check_state(state, config, path)
    return EncoderFile(config, text, state)


def _read_config(values: Any, path: Path) -> EncoderFileConfig | T5Shape:
    if "decoder_layers" not in values:
        return validate(EncoderFileConfig, values, path)
    shape = validate(T5Shape, values, path)
    if least := next((name for name, size in vars(shape.size).items() if size < 1), None):
        raise InputError(f"damaged: {least} is {getattr(shape, least)}, expected a whole number from 1", path)
    return shape


def expected_sizes(config: EncoderFileConfig | T5Shape) -> dict[str, tuple[int, ...]]:
    """The size of every weight that an encoder, or mT5, must have."""
    if isinstance(config, T5Shape):
        with torch.device("meta"), NoFreshWeights():
            return {name: tuple(one.shape) for name, one in build_mt5(config).state_dict().items()}
    width, inner = config.width, config.feed_forward_width
    sizes: dict[str, tuple[int, ...]] = {
        "embeddings.tokens.weight": (config.vocabulary, width),
        "embeddings.positions.weight": (config.positions, width),
        "embeddings.norm.weight": (width,),
        "embeddings.norm.bias": (width,),
    }
    if config.token_types:
        sizes["embeddings.token_types.weight"] = (config.token_types, width)
    for i in range(config.layers):
        layer = {
            "attention.qkv": (3 * width, width),
            "attention.output": (width, width),
            "feed_forward.fc1": (inner, width),
            "feed_forward.fc2": (width, inner),
        }
        for name, size in layer.items():
            sizes[f"layers.{i}.{name}.weight"] = size
            sizes[f"layers.{i}.{name}.bias"] = size[:1]
        for name in ("attention_norm", "feed_forward_norm"):
            sizes[f"layers.{i}.{name}.weight"] = sizes[f"layers.{i}.{name}.bias"] = (width,)
    return sizes


def check_state(state: Mapping[str, Tensor], config: EncoderFileConfig | T5Shape, path: Path) -> None:
    """Checks that every weight is there, in the size that the config says.

    Raises:
        InputError: the first weights that are missing, or the first of another size.
    """
    sizes = expected_sizes(config)
    missing = [name for name in sizes if name not in state]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise InputError(f"lacks the weights {', '.join(missing[:3])}{more}", path)
    for name, size in sizes.items():
        if tuple(state[name].shape) != size:
            raise InputError(f"{name} has the size {list(state[name].shape)}, expected {list(size)}", path)
