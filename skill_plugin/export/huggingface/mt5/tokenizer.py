"""The tokenizer of mT5 for transformers: its ids are the vocabulary's without ``<s>``, which mT5 does not have."""

from __future__ import annotations

import json
from typing import Any

from tokenizers import Tokenizer as Library
from tokenizers.processors import TemplateProcessing

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import parse_json
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary


def mt5_tokenizer(text: TextEncoder, max_length: int) -> tuple[str, dict[str, Any]]:
    """``tokenizer.json`` and ``tokenizer_config.json``.

    Args:
        text: the model's text encoder.
        max_length: tokens of its longest sequence.

    Raises:
        InputError: there is no tokenizer, or none that transformers could have.
    """
    if text.tokenizer is None:
        raise InputError("there is no tokenizer: this checkpoint came without one")
    written, names = text.tokenizer.library_json(text.vocabulary)
    library = Library.from_str(_without_first(written, names[Vocabulary.bos]))
    eos = names[Vocabulary.eos]
    library.post_processor = TemplateProcessing(
        single=["$A:0", f"{eos}:0"],
        pair=["$A:0", f"{eos}:0", "$B:0", f"{eos}:0"],
        special_tokens=[(eos, Vocabulary.eos - 1)],
    )
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": names[Vocabulary.pad],
        "eos_token": eos,
        "unk_token": names[Vocabulary.unk],
        "model_max_length": max_length,
        "model_input_names": ["input_ids", "attention_mask"],
        "split_special_tokens": True,
        "clean_up_tokenization_spaces": False,
    }
    return library.to_str(), config


def _without_first(written: str, name: str) -> str:
    """A ``tokenizer.json`` without the symbol that has the id 0; the others' are one less."""
    state = parse_json(written)
    model = state["model"]
    if isinstance(model["vocab"], dict):
        model["vocab"] = {piece: number - 1 for piece, number in model["vocab"].items() if piece != name}
    else:  # by place, of a unigram model
        model["vocab"] = model["vocab"][1:]
        model["unk_id"] -= 1
    added = [token for token in state["added_tokens"] if token["content"] != name]
    state["added_tokens"] = [{**token, "id": token["id"] - 1} for token in added]
    return json.dumps(state, ensure_ascii=False)
