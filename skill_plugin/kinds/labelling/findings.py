"""What ``check`` says of tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skill_plugin.checking.row_findings import RowFindings, RowNotice
from skill_plugin.kinds.labelling.contents import Words
from skill_plugin.kinds.labelling.entities import find_entities
from skill_plugin.kinds.labelling.keys import LabellingKeys
from skill_plugin.readers import Example
from skill_plugin.readers.example import label_names
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.spec import Corpus
from skill_plugin.spec.tag_schemes import OUTSIDE, RAW, find_scheme, is_inside_only


class LabellingFindings(RowFindings):
    """Many words have one tag, and some tags stand at one word: neither is odd."""

    row = "sentence"
    rows = "sentences"
    label = "tag"
    conflict = "occur earlier with other tags"

    def contents(self, examples: Sequence[Example], labels: Sequence[str]) -> Words:
        return Words.of(self.corpus, examples, labels)

    def note_rows(self, examples: Sequence[Example], labels: Sequence[str]) -> Iterator[RowNotice]:
        scheme = LabellingKeys.of(self.corpus).scheme or find_scheme(labels)
        return iter(()) if scheme == RAW else _about_entities(self.corpus, examples, scheme, labels)

    def note_answers(self, split: str, examples: ExampleRows, labels: Sequence[str] | None) -> Iterator[RowNotice]:
        return iter(())


def _about_entities(
    corpus: Corpus, examples: Sequence[Example], scheme: str, tags: Sequence[str]
) -> Iterator[RowNotice]:
    """Tags of which the metric makes no entity, so that no prediction can be right about them."""
    lenient = LabellingKeys.of(corpus).lenient or is_inside_only(tags, scheme)
    found = loose = 0
    first: Example | None = None  # with loose words
    for example in examples:
        names = label_names(example)
        whole = find_entities(names, scheme, lenient)
        found += len(whole)
        count = sum(name != OUTSIDE for name in names) - sum(last + 1 - start for _, start, last in whole)
        loose += count
        first = first or (example if count else None)
    if first is not None and scheme != "bio":  # of bio the reader says it
        message = f"words with tags that make no whole entity in the scheme {scheme}"
        yield first, f"{message}: {loose:,}, the first one in this sentence"
    if not found and corpus.metric == "f1" and any(example.answer is not None for example in examples):
        yield examples[0], "no entity in any sentence, so that the metric f1 is 0 whatever is predicted"
