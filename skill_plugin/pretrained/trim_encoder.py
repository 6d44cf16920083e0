"""Cuts the rows of a pretrained encoder to those of the pieces that stay."""

from __future__ import annotations

from dataclasses import replace

import torch

from skill_plugin.pretrained.encoder_file import VOCABULARY_ROWS, EncoderFile
from skill_plugin.text.trimming.trim_text import TrimmedText


def trim_encoder(encoder: EncoderFile, trimmed: TrimmedText) -> EncoderFile:
    """The encoder whose tokenizer, vocabulary, embedding table and masked-LM bias have lost the same pieces.

    Args:
        encoder: the encoder.
        trimmed: its text encoder, cut.
    """
    rows = torch.from_numpy(trimmed.rows)
    state = {name: tensor[rows] if name in VOCABULARY_ROWS else tensor for name, tensor in encoder.state.items()}
    return replace(encoder, config=replace(encoder.config, vocabulary=len(rows)), text=trimmed.text, state=state)
