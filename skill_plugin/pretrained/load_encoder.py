"""Reading a pretrained encoder that ``skill-plugin import`` or fairseq wrote."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.pretrained.encoder_file import EncoderFile, is_encoder_file, parse_encoder_file
from skill_plugin.pretrained.fairseq_roberta import is_fairseq_encoder, parse_fairseq_encoder
from skill_plugin.weights.torch_file import load_torch_file


def load_encoder_file(path: str | PathLike[str]) -> EncoderFile:
    """Reads an imported encoder, or fairseq's own RoBERTa or XLM-R ``model.pt`` (a file, or a folder with one in it).

    Raises:
        InputError: no such file, or none of these.
    """
    path = Path(path)
    if path.is_dir():
        if not (path / "model.pt").is_file():
            raise InputError("has no model.pt of fairseq; 'skill-plugin import' reads Hugging Face folders", path)
        path = path / "model.pt"
    return parse_encoder(load_torch_file(path), path)


def parse_encoder(content: Any, path: Path) -> EncoderFile:
    """Makes the encoder from what a file of either kind holds.

    Raises:
        InputError: neither of these.
    """
    if is_encoder_file(content):
        return parse_encoder_file(content, path)
    if is_fairseq_encoder(content):
        return parse_fairseq_encoder(content, path)
    raise InputError("neither an imported encoder nor a RoBERTa or XLM-R model of fairseq", path)
