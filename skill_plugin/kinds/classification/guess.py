"""Whether a sample looks like texts with one label."""

from __future__ import annotations

from skill_plugin.errors import counted
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.labels import choose_label
from skill_plugin.guessing.sample import Sample
from skill_plugin.guessing.texts import choose_texts

_NO_LABEL = ("-", "_")  # where annotators disagree, as in SNLI and its relatives


def guess_classification(sample: Sample) -> KindGuess | None:
    """As ``Kind.guess``."""
    label = choose_label(sample)
    if label is None:
        return None
    texts = choose_texts(sample, [label.column])
    if texts is None:
        return None
    guess = KindGuess(
        {**texts.columns, "label": label.column.reference},
        label.sure,
        f"one label for {'a text' if len(texts.columns) == 1 else f'{len(texts.columns)} texts'}",
        {"text_a": texts.why, "label": label.why},
        skills=texts.skills,
        doubts=[*texts.doubts, *label.doubts],
    )
    unlabelled = [mark for mark in _NO_LABEL if mark in label.column.counts and len(label.column.counts) > 2]
    if unlabelled:
        rows = sum(label.column.counts[mark] for mark in unlabelled)
        guess.options["drop_labels"] = (unlabelled, f"stands for no label in {counted(rows, 'row')} of the sample")
    if label.column.is_number and len(label.column.counts) > 4 and not label.column.classes:
        guess.doubts.append("the labels are numbers; if they are a scale, the kind is regression")
    return guess
