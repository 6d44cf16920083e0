"""Which items each kind has."""

from __future__ import annotations

from skill_plugin.data.items.classification import ClassificationItems
from skill_plugin.data.items.items import Items, Reading
from skill_plugin.data.items.labelling import LabellingItems
from skill_plugin.data.items.masked_lm import MaskedLmItems
from skill_plugin.data.items.multilabel import MultilabelItems
from skill_plugin.data.items.next_sentence import NextSentenceItems
from skill_plugin.data.items.ranking import RankingItems
from skill_plugin.data.items.regression import RegressionItems
from skill_plugin.data.items.span import SpanItems
from skill_plugin.data.items.word_in_context import WordInContextItems

ITEMS: dict[str, type[Items]] = {
    "classification": ClassificationItems,
    "multilabel": MultilabelItems,
    "regression": RegressionItems,
    "ranking": RankingItems,
    "labelling": LabellingItems,
    "span": SpanItems,
    "word_in_context": WordInContextItems,
    "masked_lm": MaskedLmItems,
    "next_sentence": NextSentenceItems,
}


def make_items(reading: Reading) -> Items:
    """The items of a corpus.

    Raises:
        InputError: the corpus cannot be read so (no mask, no range of scores).
    """
    return ITEMS[reading.corpus.kind](reading)
