"""Whether sequences have room for texts beside their special tokens."""

from __future__ import annotations

from skill_plugin.readers import Fault
from skill_plugin.spec import Corpus


def about_max_length(corpus: Corpus, max_length: int, special: int) -> list[Fault]:
    """A longest sequence that has room for special tokens only."""
    if max_length > special:
        return []
    message = f"corpus {corpus.name!r}: the longest sequence has {max_length} tokens; expected at least {special + 1}"
    return [Fault(str(corpus.file), corpus.line, message)]
