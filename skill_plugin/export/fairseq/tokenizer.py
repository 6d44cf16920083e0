"""The tokenizer of a slice in the files that fairseq's hub interface looks for."""

from __future__ import annotations

import json
from pathlib import Path

from skill_plugin.text.hub_tokenizer import HubTokenizer
from skill_plugin.text.text_encoder import TextEncoder

_SENTENCEPIECE = "sentencepiece.bpe.model"
_GPT2 = {"gpt2_encoder_json": "encoder.json", "gpt2_vocab_bpe": "vocab.bpe"}


def is_gpt2(text: TextEncoder) -> bool:
    """Whether its pieces are those of GPT-2, by their numbers."""
    return isinstance(text.tokenizer, HubTokenizer) and text.tokenizer.numbered


def write_tokenizer(text: TextEncoder, folder: Path) -> dict[str, str]:
    """Writes the tokenizer's files: what fairseq's hub interface must be told of them."""
    state = text.to_state()
    if not is_gpt2(text):
        (folder / _SENTENCEPIECE).write_bytes(state["model"])
        return {"bpe": "sentencepiece"}
    model = json.loads(state["json"])["model"]
    merges = "\n".join(pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"])
    (folder / _GPT2["gpt2_encoder_json"]).write_text(json.dumps(model["vocab"]), encoding="utf-8")
    (folder / _GPT2["gpt2_vocab_bpe"]).write_text(f"#version: 0.2\n{merges}\n", encoding="utf-8")
    return {"bpe": "gpt2", **_GPT2}
