"""What keeps an encoder from reading a corpus, or a text-to-text model from answering it."""

from __future__ import annotations

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example import Fault
from skill_plugin.readers.read_corpus import CorpusData
from skill_plugin.text.answer_targets import answer_targets
from skill_plugin.text.named_texts import template_of
from skill_plugin.text.text_encoder import TextEncoder


def find_encoder_faults(data: CorpusData, encoder: TextEncoder, max_length: int) -> list[Fault]:
    """The fault, where there is one: no room for texts besides special tokens, or answers that cannot be written.

    Args:
        data: the rows of a corpus.
        encoder: with a tokenizer.
        max_length: the most tokens of a sequence, special tokens included.
    """
    corpus, kind = data.corpus, kind_named(data.corpus.kind)
    try:
        if encoder.text_to_text and not data.faults:
            facts = kind.storage.facts(corpus, data.splits, data.labels)
            answer_targets(corpus, data.labels or (), facts, encoder)
        kind.sequence_rule(corpus, template_of(corpus, encoder), max_length)
    except InputError as error:
        return [Fault(str(error.file), error.line, error.message)]
    return []
