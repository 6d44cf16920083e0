"""A question and the windows of its context."""

from __future__ import annotations

from skill_plugin.kinds.span.keys import SpanKeys
from skill_plugin.text.sequences.windowed_text import WindowedText


class QuestionAndContext(WindowedText):
    """A question keeps ``max_question`` tokens, and leaves the context at least half of a sequence."""

    @property
    def texts(self) -> int:
        return 2

    @property
    def most_before(self) -> int:
        return SpanKeys.of(self.corpus).max_question
