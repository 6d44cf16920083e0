"""Keys of the corpora file that only this kind has."""

from __future__ import annotations

from skill_plugin.spec.kind_keys import KindKeys
from skill_plugin.spec.values import Count, Number


class SpanKeys(KindKeys):
    """The keys of questions and their answers."""

    max_question: Count = 64
    """Tokens of a question that stand in each window."""
    max_answer: Count = 30
    """Tokens of the longest answer."""
    no_answer_threshold: Number = 0.0
    """How much better than the best answer "no answer" must score; only where train has such questions."""
