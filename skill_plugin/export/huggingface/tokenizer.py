"""The tokenizer of a slice for transformers: its ids are the vocabulary's, and special symbols in a text are text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer as Library
from tokenizers.processors import TemplateProcessing

from skill_plugin.errors import InputError
from skill_plugin.text.library_json import apart
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import MASK, Vocabulary

_ROLES = (("bos_token", "cls_token"), ("pad_token",), ("eos_token", "sep_token"), ("unk_token",), ("mask_token",))


@dataclass(frozen=True)
class HubTokenizerFiles:
    """A tokenizer as transformers reads it.

    Attributes:
        json: ``tokenizer.json``.
        config: ``tokenizer_config.json``.
        rows: ids that it may give, from 0: rows that the table of embeddings needs.
    """

    json: str
    config: dict[str, Any]
    rows: int


def hub_tokenizer(text: TextEncoder, max_length: int, token_types: bool, finds_masks: bool) -> HubTokenizerFiles:
    """Makes the files.

    Args:
        text: the slice's text encoder.
        max_length: tokens of its longest sequence.
        token_types: whether its model is given token types.
        finds_masks: whether a mask that is written in a text is one.

    Raises:
        InputError: there is no tokenizer, or none that transformers could have.
    """
    if text.tokenizer is None:
        raise InputError("there is no tokenizer: this checkpoint came without one")
    written, names = text.tokenizer.library_json(text.vocabulary)
    if finds_masks:  # transformers finds all special symbols in texts or none, so that only the mask keeps a usual name
        others = {name: apart(name) for name in names[:-1] if " " not in name}
        for old, new in {**others, names[-1]: MASK}.items():
            written = written.replace(json.dumps(old), json.dumps(new))
        names = [*(others.get(name, name) for name in names[:-1]), MASK]
    library = Library.from_str(written)
    bos, eos = names[Vocabulary.bos], names[Vocabulary.eos]
    kind = int(text.template.token_types)
    between = [f"{eos}:0", *[f"{eos}:{kind}"] * (text.template.separators - 1)]
    library.post_processor = TemplateProcessing(
        single=[f"{bos}:0", "$A:0", f"{eos}:0"],
        pair=[f"{bos}:0", "$A:0", *between, f"$B:{kind}", f"{eos}:{kind}"],
        special_tokens=[(bos, Vocabulary.bos), (eos, Vocabulary.eos)],
    )
    roles = {role: name for all_roles, name in zip(_ROLES, names, strict=False) for role in all_roles if name}
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **roles,
        "model_max_length": max_length,
        "model_input_names": ["input_ids", *["token_type_ids"] * token_types, "attention_mask"],
        "split_special_tokens": not finds_masks,
        "clean_up_tokenization_spaces": False,
    }
    rows = max(library.get_vocab(with_added_tokens=True).values()) + 1
    return HubTokenizerFiles(library.to_str(), config, max(rows, len(text.vocabulary)))
