"""The windows of a raw text."""

from __future__ import annotations

from skill_plugin.text.sequences.windowed_text import WindowedText


class SeparateWindows(WindowedText):
    """Windows do not overlap, unless the corpus has a stride, so that every token counts once."""

    overlapping = False
