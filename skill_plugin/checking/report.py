"""What a check found, as data: for the table, for ``--json``, and for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from skill_plugin.readers.example import Fault


@dataclass(frozen=True)
class Lengths:
    """Lengths of the rows of a split, all texts of a row together: in characters, or in tokens with special ones."""

    mean: float
    median: int
    p95: int
    maximum: int

    @classmethod
    def of(cls, lengths: Iterable[int]) -> Lengths | None:
        """None where there is no row."""
        ordered = sorted(lengths)
        if not ordered:
            return None
        count = len(ordered)
        median, p95 = ordered[(count - 1) // 2], ordered[(count - 1) * 95 // 100]
        return cls(round(sum(ordered) / count, 1), median, p95, ordered[-1])


@dataclass(frozen=True)
class TokenReport:
    """What a tokenizer makes of a split: lengths, and shares between 0 and 1."""

    lengths: Lengths
    max_length: int
    truncated: float  # of the rows
    unknown_pieces: float  # of the pieces


@dataclass
class SplitReport:
    """One split of one corpus.

    Attributes:
        rows: that are kept.
        skipped: reason -> rows that are not.
        labels: label -> kept rows, in the order of the ids; empty where the labels are unknown.
        duplicates: kept rows equal, label included, to an earlier one.
        in_train: kept rows whose texts also occur in train (valid, test).
    """

    kind: str
    language: str
    rows: int
    skipped: Counter[str]
    labels: dict[str, int]
    characters: Lengths | None
    duplicates: int = 0
    in_train: int = 0
    tokens: TokenReport | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "skipped": self.skipped.total(),
            "skipped_by_reason": dict(self.skipped),
            "labels": self.labels,
            "kind": self.kind,
            "language": self.language,
            "characters": None if self.characters is None else asdict(self.characters),
            "duplicates": self.duplicates,
            "in_train": self.in_train,
            "tokens": None if self.tokens is None else asdict(self.tokens),
        }


@dataclass
class CheckReport:
    """Everything that was found. ``labels`` are those of each corpus, in the order of their ids."""

    corpora: dict[str, dict[str, SplitReport]] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    notices: list[Fault] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """DESIGN 2.4: ``corpora`` -> name -> split -> rows (kept), skipped, labels …; ``faults``."""
        return {
            "corpora": {
                name: {split: report.to_json() for split, report in splits.items()}
                for name, splits in self.corpora.items()
            },
            "labels": {name: list(labels) for name, labels in self.labels.items()},
            "faults": [asdict(fault) for fault in self.faults],
            "notices": [asdict(notice) for notice in self.notices],
        }
