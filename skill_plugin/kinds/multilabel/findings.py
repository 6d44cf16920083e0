"""What ``check`` says of sets of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from skill_plugin.checking.label_signs import note_header, note_missing_values
from skill_plugin.checking.row_findings import RowFindings, RowNotice
from skill_plugin.kinds.multilabel.contents import LabelSets
from skill_plugin.kinds.multilabel.keys import MultilabelKeys
from skill_plugin.readers import Example
from skill_plugin.readers.example import label_names
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.spec import Corpus

_SEPARATORS = ("|", ";", ",")


class MultilabelFindings(RowFindings):
    """The order of labels does not count."""

    conflict = "have the texts of an earlier row but other labels"

    def contents(self, examples: Sequence[Example], labels: Sequence[str]) -> LabelSets:
        return LabelSets.of(examples)

    def note_labels(self, examples: ExampleRows) -> Iterator[RowNotice]:
        yield from note_missing_values(self.corpus, examples)
        yield from note_header(self.corpus, examples)
        yield from _about_several_in_one(self.corpus, examples)

    def claims(self, example: Example) -> Sequence[tuple[Hashable, Hashable]]:
        answer = frozenset(example.answer) if isinstance(example.answer, tuple) else example.answer
        return [(example.texts, answer)]


def _about_several_in_one(corpus: Corpus, examples: Sequence[Example]) -> Iterator[RowNotice]:
    """Labels that fall into known ones, or several into the same ones, at another separator."""
    labels = {name for example in examples for name in label_names(example)}
    for separator in _SEPARATORS:
        if separator == MultilabelKeys.of(corpus).label_separator:
            continue
        joined = {name for name in labels if separator in name.strip(separator)}
        parts = Counter(part for name in joined for part in {part.strip() for part in name.split(separator)})
        if any(count > 1 or part in labels for part, count in parts.items()):
            first = next(example for example in examples if joined.intersection(label_names(example)))
            message = f"labels that {separator!r} divides into labels: {len(joined):,}, the first one here"
            yield first, f"{message}; is it what separates them (label_separator: {separator!r})?"
