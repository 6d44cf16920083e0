"""``config.json`` of a Hugging Face folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.files.json_file import read_json, read_text
from skill_plugin.pretrained.encoder_file import EncoderFileConfig
from skill_plugin.variants.t5_shape import T5Shape

ENCODERS = ("bert", "roberta", "xlm-roberta")
MT5 = "mt5"
MODEL_TYPES = (*ENCODERS, MT5)
_MOST_LAYERS = 10_000  # more are no model's, and take minutes to look for
_SIZES = ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size", "vocab_size")
_T5_SIZES = ("d_model", "d_kv", "d_ff", "num_layers", "num_heads", "vocab_size")


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
        eps = self._small("layer_norm_eps", 1e-12)
        return EncoderFileConfig(layers, width, heads, inner, rows, positions, types, eps, kind), cut

    @property
    def is_mt5(self) -> bool:
        """Whether it is mT5, an encoder with a decoder."""
        return self.values.get("model_type") == MT5

    def t5_shape(self) -> T5Shape:
        """Sizes of mT5, with a table of its own for logits: that there is none only the weights can say.

        Raises:
            InputError: the model computes in a way that ours does not.
        """
        self._require("feed_forward_proj", "gated-gelu", "gated-gelu")
        self._require("dense_act_fn", "gelu_new", "gelu_new")
        self._require("pad_token_id", 0, 0)
        self._require("decoder_start_token_id", 0, 0)
        width, columns, inner, layers, heads, rows = (self._count(key) for key in _T5_SIZES)
        buckets = self._whole(self.values.get(key := "relative_attention_num_buckets", 32), key, 4)
        decoder_layers = self.values.get("num_decoder_layers")
        return T5Shape(
            layers=layers,
            decoder_layers=layers if decoder_layers is None else self._count("num_decoder_layers"),
            width=width,
            heads=heads,
            head_width=columns,
            inner=inner,
            vocabulary=rows,
            tied=False,
            buckets=buckets,
            # half of the decoder's buckets are a distance each, and the others begin behind them
            distance=self._whole(self.values.get(key := "relative_attention_max_distance", 128), key, buckets // 2 + 1),
            eps=self._small("layer_norm_epsilon", 1e-6),
        )

    def _require(self, key: str, value: Any, default: Any) -> None:
        found = self.values.get(key, default)
        if found != value:
            raise self.fault(key, f"{key} is {found!r}; only {value!r} is supported")

    def _count(self, key: str) -> int:
        if key not in self.values:
            raise self.fault(key, f"{key} is missing")
        return self._whole(self.values[key], key, 1, _MOST_LAYERS if "layers" in key else None)

    def _whole(self, value: Any, key: str, least: int, most: int | None = None) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least or value > (most or value):
            to = "" if most is None else f" to {most}"
            raise self.fault(key, f"{key} is {value!r}, expected a whole number from {least}{to}")
        return value

    def _small(self, key: str, default: float) -> float:
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            raise self.fault(key, f"{key} is {value!r}, expected a small number")
        return float(value)
