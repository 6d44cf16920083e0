"""How the rows of a corpus are read, whatever the model."""

from __future__ import annotations

from skill_plugin.kinds.items import CorpusReading, Items
from skill_plugin.kinds.registry import kind_named
from skill_plugin.text_to_text.items import TextToTextItems
from skill_plugin.text_to_text.written_items import WrittenItems


def make_items(reading: CorpusReading) -> Items:
    """The items of a corpus: its kind's, or these as a text-to-text model reads them."""
    if reading.text_to_text is None:
        return kind_named(reading.corpus.kind).items(reading)
    items = TextToTextItems(reading)
    return WrittenItems(reading) if reading.text_to_text.greedy and items.answers else items
