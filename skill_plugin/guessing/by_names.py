"""What is guessed of a kind that does not say how its samples look: columns that have the names of its own."""

from __future__ import annotations

from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.sample import Sample
from skill_plugin.kinds.kind import Kind


def guess_by_names(kind: Kind, sample: Sample) -> KindGuess | None:
    """All needed columns of one set, and one of its answers, have the names that the kind has for them."""
    for one in kind.column_sets:
        found = [name for name in one.columns if sample.column(name) is not None]
        answers = [name for name in found if name in one.answers]
        if all(name in found for name in one.needed) and answers:
            names = ", ".join(map(repr, found))
            return KindGuess({name: name for name in found}, 0.5 + 0.05 * len(found), f"columns are named {names}")
    return None
