"""Weights of a Hugging Face folder: safetensors or ``pytorch_model.bin``, in one file or in shards with an index."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json
from skill_plugin.weights.torch_file import load_torch_file
from skill_plugin.weights.undamaged import checked_weights, first_line

_FILES = ("model.safetensors", "pytorch_model.bin")


def find_weights(folder: Path) -> Path:
    """The file of weights, or the index of its shards; safetensors first.

    Raises:
        InputError: there is none.
    """
    for name in _FILES:
        for candidate in (folder / name, folder / f"{name}.index.json"):
            if candidate.is_file():
                return candidate
    raise InputError(f"holds no weights: expected {' or '.join(_FILES)}", folder)


def read_weights(path: Path) -> dict[str, Tensor]:
    """All weights of a file or of an index, in the number types of the file.

    Raises:
        InputError: a shard is missing or damaged, or lacks a weight that the index places there.
    """
    if not path.name.endswith(".index.json"):
        return _read_file(path)
    placed = read_json(path).get("weight_map")
    if not isinstance(placed, dict) or not all(isinstance(name, str) for name in placed.values()):
        raise InputError("expected a weight_map from names to files", path)
    for name in placed.values():
        if name in ("", ".", "..") or Path(name).name != name:
            raise InputError(f"places weights in {name!r}, expected the name of a file beside this one", path)
    shards = {name: _read_file(path.parent / name) for name in sorted(set(placed.values()))}
    for weight, shard in placed.items():
        if weight not in shards[shard]:
            raise InputError(f"lacks the weight {weight}, which {path.name} places there", path.parent / shard)
    return {weight: shards[shard][weight] for weight, shard in placed.items()}


def _read_file(path: Path) -> dict[str, Tensor]:
    if path.suffix != ".safetensors":
        content = load_torch_file(path)
        if not isinstance(content, dict) or not all(isinstance(value, Tensor) for value in content.values()):
            raise InputError("expected weights by name", path)
        return checked_weights(content, path)
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if not path.is_file():
        raise InputError("no such file", path)
    try:
        return checked_weights(load_file(path), path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"not a safetensors file, or damaged ({first_line(error)})", path) from None
