"""The files of a folder that transformers loads, of whatever model it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor


def write_files(
    folder: Path,
    weights: Mapping[str, Tensor],
    dtype: str,
    config: Mapping[str, Any],
    tokenizer: str,
    settings: Mapping[str, Any],
) -> None:
    """Writes them.

    Args:
        folder: an empty folder.
        weights: by transformers' names, float32.
        dtype: type of the weights in the file.
        config: of the model.
        tokenizer: what ``tokenizer.json`` holds.
        settings: of the tokenizer.
    """
    from safetensors.torch import save_file

    kept = {name: tensor.to(getattr(torch, dtype)).contiguous() for name, tensor in weights.items()}
    save_file(kept, folder / "model.safetensors", {"format": "pt"})
    (folder / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    for name, content in (("config.json", config), ("tokenizer_config.json", settings)):
        (folder / name).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
