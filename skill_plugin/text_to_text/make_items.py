"""How the rows of a corpus are read, whatever the model."""

from __future__ import annotations

from skill_plugin.kinds.items import CorpusReading, Items
from skill_plugin.kinds.registry import kind_named
from skill_plugin.text_to_text.items import TextToTextItems


def make_items(reading: CorpusReading) -> Items:
    """The items of a corpus: its kind's, or these as a text-to-text model reads them."""
    if reading.text_to_text is not None:
        return TextToTextItems(reading)
    return kind_named(reading.corpus.kind).items(reading)
