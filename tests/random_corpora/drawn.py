"""What is drawn of a corpus before anything is made of it."""

from __future__ import annotations

import random

from skill_plugin.kinds.registry import kind_named, kind_names

LABELS = [
    "yes", "no", "two words", "0", "1", "none", "ß", "中性", "a/b", "x:y", "#tag", "O'", "émotion", "True", "null",
]  # fmt: skip
OBJECTS = ("jsonl", "json", "parquet", "arrow")  # formats of which a value may be a list
TABLES = ("tsv", "csv", "xlsx")  # formats that may have a header
BINARY = ("parquet", "arrow", "xlsx")
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "gb18030", "utf-16")


class Drawn:
    """One corpus's kind, format and labels, and how its files are written.

    Attributes:
        rng: for all that is drawn later.
        quoted: whether cells may hold anything.
        end: what ends a line.
        broken: whether something is wrong with the train file.
        missing: whether rows may end early.
        part: of train, to train on.
        decimal: what stands before decimal places of scores.
    """

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng, self.name = rng, name
        self.kind = rng.choice([*kind_names()])
        self.format = rng.choice(kind_named(self.kind).formats)
        self.quoted = self.format in (*OBJECTS, "squad", "csv", "xlsx")
        self.encoding = "utf-8" if self.format in BINARY else rng.choice(ENCODINGS)
        self.end = rng.choice(["\n", "\n", "\r\n"])
        self.header = rng.random() < 0.7
        self.separator = rng.choice([",", ";", "\t"]) if self.format == "csv" else "\t"
        usable = [one for one in LABELS if self.kind != "multilabel" or "," not in one]
        self.labels = rng.sample(usable, rng.choice([2, 3]))
        self.broken = rng.random() < 0.35
        self.missing = rng.random() < 0.1
        self.part = rng.choice([None, None, None, "30%", 1])
        self.decimal = rng.choice(".,") if self.kind == "regression" and self.quoted else "."
