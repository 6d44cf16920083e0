"""The result of reading a split: examples, and an account of every row that is not among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from skill_plugin.readers.example import Fault
from skill_plugin.readers.example_rows import ExampleRows


@dataclass
class SplitData:
    """One split of one corpus.

    Attributes:
        examples: the rows that are kept, in the order of the file.
        skipped: how many rows are not kept, by reason. ``len(examples) + skipped.total()`` is the number of rows of the
            file, unless a fault says that the rest of it could not be read. A row is a sentence in a conll file, and a
            question in a squad file. If several rows make one example (candidates of a query, sentences of a document),
            count candidates or sentences instead of examples.
        faults: messages about what lost rows, or would corrupt them. The first ones of each reason are listed, the
            others counted.
        notices: messages about what a person may want to know, though no row is lost.
    """

    examples: ExampleRows = field(default_factory=ExampleRows)
    skipped: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    notices: list[Fault] = field(default_factory=list)
