"""The result of a check as data, for the table and for ``--json``."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from skill_plugin.checking.contents import Contents
from skill_plugin.checking.lengths import LengthSummary
from skill_plugin.checking.text_form import TextForm
from skill_plugin.checking.token_lengths import TokenReport
from skill_plugin.readers.example import Fault


@dataclass
class SplitReport:
    """One split of one corpus.

    Attributes:
        kind, language, head: those of the corpus.
        rows: how many items are kept: queries, not candidates; documents, not sentences.
        trained: how many of them are trained on, where ``train_rows`` says a part; None otherwise.
        skipped: how many rows of the file are not kept, by reason.
        labels: how often each label or tag occurs, in the order of the ids, then tags that train lacks; empty for kinds
            without labels.
        characters: the lengths of the sequences in characters; None if there are no sequences.
        contents: what the kind counts besides labels.
        duplicates: how many kept rows equal an earlier one, answer included.
        conflicting: how many kept rows ask what an earlier one asks but have another answer.
        in_train: how many kept rows of valid or test have texts that also occur in train.
        tokens: what a tokenizer makes of the split; None if no tokenizer was given.
    """

    kind: str
    language: str
    head: str
    rows: int
    skipped: Counter[str]
    labels: dict[str, int]
    characters: LengthSummary | None
    contents: Contents | None = None
    duplicates: int = 0
    conflicting: int = 0
    in_train: int = 0
    tokens: TokenReport | None = None
    trained: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "trained": self.trained,
            "skipped": self.skipped.total(),
            "skipped_by_reason": dict(self.skipped),
            "labels": self.labels,
            "kind": self.kind,
            "language": self.language,
            "contents": None if self.contents is None else asdict(self.contents),
            "characters": None if self.characters is None else asdict(self.characters),
            "duplicates": self.duplicates,
            "conflicting": self.conflicting,
            "in_train": self.in_train,
            "tokens": None if self.tokens is None else self.tokens.to_json(),
        }


@dataclass
class LanguageReport:
    """All corpora of one language together.

    Attributes:
        corpora: the names of the corpora.
        rows: the number of rows by split.
        pieces: the number of pieces of all texts, without special tokens; None without a tokenizer.
        unknown_pieces: the share of pieces that the vocabulary lacks.
    """

    corpora: list[str] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)
    pieces: int | None = None
    unknown_pieces: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "rows": dict(self.rows)}


@dataclass(frozen=True)
class CorpusNotice:
    """What a person may want to know of a corpus, though no row is lost; ``split`` is empty where it is of all."""

    corpus: str
    split: str
    fault: Fault

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self.fault), "corpus": self.corpus, "split": self.split}


# head -> language -> split -> label -> how often
LabelTable = dict[str, dict[str, dict[str, dict[str, int]]]]


@dataclass
class CheckReport:
    """Everything that was found.

    Attributes:
        corpora: each split of each corpus.
        labels: those of each corpus, in the order of their ids.
        faults: what keeps the corpora from being used.
        notices: what does not.
        text_to_text: what a text-to-text model reads and writes, where the encoder is of one.
    """

    corpora: dict[str, dict[str, SplitReport]] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    notices: list[CorpusNotice] = field(default_factory=list)
    text_to_text: dict[str, TextForm] = field(default_factory=dict)

    def languages(self) -> dict[str, LanguageReport]:
        """By language, in the order of the corpora."""
        found: dict[str, LanguageReport] = {}
        unknown: Counter[str] = Counter()
        for name, splits in self.corpora.items():
            for split, report in splits.items():
                language = found.setdefault(report.language, LanguageReport())
                language.corpora += [] if name in language.corpora else [name]
                language.rows[split] += report.rows
                if report.tokens is not None:
                    language.pieces = (language.pieces or 0) + report.tokens.counts.pieces
                    unknown[report.language] += report.tokens.counts.unknown
        for name, language in found.items():
            if language.pieces is not None:
                language.unknown_pieces = unknown[name] / max(language.pieces, 1)
        return found

    def label_table(self) -> LabelTable:
        """Labels of all corpora that share a head, by language and split."""
        table: LabelTable = {}
        for splits in self.corpora.values():
            for split, report in splits.items():
                if report.labels:
                    counts = table.setdefault(report.head, {}).setdefault(report.language, {}).setdefault(split, {})
                    for label, count in report.labels.items():
                        counts[label] = counts.get(label, 0) + count
        return table

    def to_json(self) -> dict[str, Any]:
        """DESIGN 2.4: ``corpora`` -> name -> split -> rows (kept), skipped, labels …; ``faults``."""
        return {
            "corpora": {
                name: {split: report.to_json() for split, report in splits.items()}
                for name, splits in self.corpora.items()
            },
            "labels": {name: list(labels) for name, labels in self.labels.items()},
            "labels_by_language": self.label_table(),
            "languages": {name: language.to_json() for name, language in self.languages().items()},
            "faults": [asdict(fault) for fault in self.faults],
            "notices": [notice.to_json() for notice in self.notices],
            "text_to_text": {name: asdict(form) for name, form in self.text_to_text.items()},
        }
