"""Signs that a column of labels or scores holds something else: a header, missing values, placeholders, texts."""

from __future__ import annotations

from collections.abc import Iterator

from skill_plugin.checking.text_signs import MISSING
from skill_plugin.readers import Example
from skill_plugin.readers.example import label_names
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.spec import Corpus
from skill_plugin.spec.formats import FORMATS

_ROWS = 10  # with this many rows it is odd that all have one answer, or nearly every row its own


def note_missing_values(corpus: Corpus, examples: ExampleRows) -> Iterator[tuple[Example, str]]:
    """Labels that look like missing values."""
    for name, count in examples.label_counts().items():
        if name in MISSING and name not in corpus.label_map.values():
            first = next(example for example in examples if name in label_names(example))
            advice = f"drop_labels: [{name!r}] leaves them out"
            yield first, f"rows with the label {name!r}, which looks like a missing one: {count:,}; {advice}"


def note_header(corpus: Corpus, examples: ExampleRows) -> Iterator[tuple[Example, str]]:
    """A label that occurs only in the first line, while all others occur several times."""
    if "header" not in FORMATS[corpus.format].options or corpus.header:
        return
    counts = examples.label_counts()
    once = {name for name, count in counts.items() if count == 1}
    if len(counts) <= 2 or not once:
        return
    first = next((example for example in examples if example.line == 1), None)
    if first is not None and once == set(label_names(first)):
        message = f"the label {label_names(first)[0]!r} is only in the first line, and all others are in several rows"
        yield first, f"{message}; is that line a header (header: true)?"


def note_too_many_labels(corpus: Corpus, examples: ExampleRows) -> Iterator[tuple[Example, str]]:
    """Half as many labels as rows or more: the column probably holds texts or row numbers."""
    labels = len(examples.label_counts())
    if len(examples) >= _ROWS and 2 * labels > len(examples):
        message = f"{labels:,} labels for {len(examples):,} rows; is {corpus.columns['label']!r} their column?"
        yield examples[0], message


def note_constant_answer(corpus: Corpus, split: str, examples: ExampleRows) -> Iterator[tuple[Example, str]]:
    """All rows have the same answer, which is probably a placeholder."""
    count, answers = 0, set()
    for block in examples.blocks():
        known = [answer for answer in block.answers if answer is not None]
        count += len(known)
        answers.update(known)
        if len(answers) > 1:
            return
    if count >= _ROWS:
        message = f"all {count:,} rows have the answer {answers.pop()!r}; if it only stands in place of answers, "
        yield examples[0], f"{message}leave out its column in {split}, or the split: its score would mean nothing"
