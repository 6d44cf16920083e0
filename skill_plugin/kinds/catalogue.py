"""Which items each kind has."""

from __future__ import annotations

from skill_plugin.kinds.classification.items import ClassificationItems
from skill_plugin.kinds.items import Items, Reading
from skill_plugin.kinds.labelling.items import LabellingItems
from skill_plugin.kinds.masked_lm.items import MaskedLmItems
from skill_plugin.kinds.multilabel.items import MultilabelItems
from skill_plugin.kinds.next_sentence.items import NextSentenceItems
from skill_plugin.kinds.ranking.items import RankingItems
from skill_plugin.kinds.regression.items import RegressionItems
from skill_plugin.kinds.span.items import SpanItems
from skill_plugin.kinds.word_in_context.items import WordInContextItems

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
