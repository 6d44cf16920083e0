"""Which of transformers' encoders a slice becomes. All of them compute the same; positions and heads differ."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.text.hub_tokenizer import HubTokenizer
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class ModelType:
    """One of transformers' encoders.

    Attributes:
        name: ``model_type`` of its config.
        classes: how the names of its classes begin.
        prefix: under which the encoder's weights stand in a model with a head.
        unused_positions: rows at the beginning of its position table that no token uses: it counts positions from the
            padding id on, from 1.
    """

    name: str
    classes: str
    prefix: str
    unused_positions: int


BERT = ModelType("bert", "Bert", "bert.", 0)
ROBERTA = ModelType("roberta", "Roberta", "roberta.", Vocabulary.pad + 1)
XLM_ROBERTA = ModelType("xlm-roberta", "XLMRoberta", "roberta.", Vocabulary.pad + 1)


def choose_type(text: TextEncoder, token_types: int) -> ModelType:
    """BERT for encoders with several token types, as its origin has them; else RoBERTa for byte-level BPE, or XLM-R."""
    if token_types > 1 or text.template.token_types:
        return BERT
    byte_level = isinstance(text.tokenizer, HubTokenizer) and "byte-level" in text.tokenizer.describe()
    return ROBERTA if byte_level else XLM_ROBERTA
