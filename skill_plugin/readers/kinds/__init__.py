"""Rows to examples, one file for each kind."""

from __future__ import annotations

from skill_plugin.readers.kinds.classification import ClassificationReader
from skill_plugin.readers.kinds.item_reader import ItemReader
from skill_plugin.readers.kinds.labelling import LabellingReader
from skill_plugin.readers.kinds.masked_lm import MaskedLMReader
from skill_plugin.readers.kinds.multilabel import MultilabelReader
from skill_plugin.readers.kinds.next_sentence import NextSentenceReader
from skill_plugin.readers.kinds.ranking import RankingReader
from skill_plugin.readers.kinds.regression import RegressionReader
from skill_plugin.readers.kinds.span import SpanReader
from skill_plugin.readers.kinds.word_in_context import WordInContextReader

ITEM_READERS: dict[str, type[ItemReader]] = {
    "classification": ClassificationReader,
    "multilabel": MultilabelReader,
    "regression": RegressionReader,
    "ranking": RankingReader,
    "labelling": LabellingReader,
    "span": SpanReader,
    "word_in_context": WordInContextReader,
    "masked_lm": MaskedLMReader,
    "next_sentence": NextSentenceReader,
}

__all__ = ["ITEM_READERS", "ItemReader"]
