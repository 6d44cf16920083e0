"""Which kind a sample is of, of those that say that it looks like theirs."""

from __future__ import annotations

from skill_plugin.guessing.kind_guess import OPEN, KindGuess
from skill_plugin.guessing.sample import Sample
from skill_plugin.kinds.kind import Kind
from skill_plugin.kinds.registry import every_kind

_CLOSE = 0.1  # a kind that is so much less sure is worth telling


def choose_kind(sample: Sample) -> tuple[Kind, KindGuess] | None:
    """The kind that is the surest of itself, with what it says; None where none is sure enough."""
    found = [
        (kind, guess)
        for kind in every_kind()
        if sample.format in kind.formats and (guess := kind.guess(sample)) is not None and guess.sure >= OPEN
    ]
    if not found:
        return None
    kind, guess = max(found, key=lambda one: one[1].sure)
    for other, less in found:
        if other is not kind and guess.sure - less.sure < _CLOSE:
            guess.doubts.append(f"may be {other.name} too: {less.why}")
    return kind, guess
