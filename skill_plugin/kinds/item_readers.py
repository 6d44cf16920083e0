"""Rows to examples, one file for each kind."""

from __future__ import annotations

from skill_plugin.kinds.classification.reader import ClassificationReader
from skill_plugin.kinds.labelling.reader import LabellingReader
from skill_plugin.kinds.masked_lm.reader import MaskedLMReader
from skill_plugin.kinds.multilabel.reader import MultilabelReader
from skill_plugin.kinds.next_sentence.reader import NextSentenceReader
from skill_plugin.kinds.ranking.reader import RankingReader
from skill_plugin.kinds.regression.reader import RegressionReader
from skill_plugin.kinds.span.reader import SpanReader
from skill_plugin.kinds.word_in_context.reader import WordInContextReader
from skill_plugin.readers.item_reader import ItemReader

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
