"""Reads all raw files of a corpora file and reports what they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from skill_plugin.checking.lengths import LengthSummary
from skill_plugin.checking.notices import note_labels, note_language, note_repeats
from skill_plugin.checking.repeats import collect_keys, find_overlap, find_repeats
from skill_plugin.checking.report import CheckReport, CorpusNotice, SplitReport
from skill_plugin.checking.text_signs import note_texts
from skill_plugin.checking.token_lengths import report_tokens
from skill_plugin.kinds.registry import kind_named
from skill_plugin.options.max_length import MAX_LENGTH
from skill_plugin.readers import Example, Fault, SplitData
from skill_plugin.readers.example import label_names
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import CorporaFile, Corpus
from skill_plugin.store.token_counts import check_max_length

if TYPE_CHECKING:
    from skill_plugin.text.text_encoder import TextEncoder


def check_corpora(
    corpora_file: CorporaFile,
    encoder: TextEncoder | None = None,
    max_length: int = MAX_LENGTH,
    on_corpus: Callable[[str], None] | None = None,
) -> CheckReport:
    """Checks the selected corpora; faults of the raw data are in the report.

    Args:
        corpora_file: the corpora, in the order of the report.
        encoder: if given, lengths in tokens, truncation, windows and unknown pieces are reported too.
        max_length: the most tokens of a sequence, special tokens included, for corpora without a ``max_length``.
        on_corpus: called with the name of each corpus when it is done.

    Raises:
        InputError: ``encoder`` has no tokenizer.
    """
    report = CheckReport()
    reader = CorpusReader(corpora_file)
    for corpus in corpora_file.corpora.values():
        data = reader.read(corpus)
        report.faults += data.faults
        check_data(data, report, encoder, max_length)
        if on_corpus is not None:
            on_corpus(corpus.name)
    return report


def check_data(
    data: CorpusData, report: CheckReport, encoder: TextEncoder | None = None, max_length: int = MAX_LENGTH
) -> None:
    """Adds what was found in one corpus to a report, except the faults of its rows.

    Raises:
        InputError: ``encoder`` has no tokenizer.
    """
    if data.labels is not None:
        report.labels[data.corpus.name] = data.labels
    _Check(data, encoder, data.corpus.max_length or max_length, report).run()


class _Check:
    """Checks one corpus, and puts its splits, faults and notices into the report."""

    def __init__(self, data: CorpusData, encoder: TextEncoder | None, max_length: int, report: CheckReport) -> None:
        self.data = data
        self.corpus = data.corpus
        self.findings = kind_named(self.corpus.kind).findings(self.corpus)
        self.max_length = max_length
        self.report = report
        self.encoder = encoder if encoder is not None and self.has_room(encoder) else None
        train = data.splits.get("train")
        others = train is not None and len(data.splits) > 1
        self.train: set[Hashable] = collect_keys(self.findings, train.examples) if train and others else set()

    def run(self) -> None:
        self.report.corpora[self.corpus.name] = {
            name: self.split(name, self.data.splits[name]) for name in self.corpus.sources
        }
        self.report.notices += note_labels(self.data) + note_language(self.data)

    def has_room(self, encoder: TextEncoder) -> bool:
        """Whether a sequence has room for texts; if not, a fault is added."""
        faults = check_max_length(self.corpus, encoder.template, self.max_length)
        self.report.faults += faults
        return not faults

    def split(self, name: str, split: SplitData) -> SplitReport:
        corpus, examples = self.corpus, split.examples
        labels = self.labels(split)
        tags = self.data.labels or tuple(labels)
        contents = self.findings.contents(examples, tags)
        repeats = find_repeats(self.findings, examples)
        in_train = [] if name == "train" else find_overlap(self.findings, examples, self.train)
        self.report.notices += [CorpusNotice(corpus.name, name, fault) for fault in split.notices]
        for example, message in (
            *note_texts(corpus, examples),
            *self.findings.note_answers(name, examples, self.data.labels),
            *self.findings.note_rows(examples, tags),
            *note_repeats(self.findings, repeats, in_train),
        ):
            self.report.notices.append(CorpusNotice(corpus.name, name, Fault(example.file, example.line, message)))
        tokens = None
        if self.encoder is not None and examples:
            tokens = report_tokens(corpus, examples, self.encoder, self.max_length)
            self.report.notices += [CorpusNotice(corpus.name, name, fault) for fault in tokens.counts.notices]
        return SplitReport(
            kind=corpus.kind,
            language=corpus.language,
            head=corpus.head,
            rows=len(examples),
            skipped=split.skipped,
            labels=labels,
            characters=LengthSummary.of(_characters(corpus, examples)),
            contents=contents,
            duplicates=len(repeats.same),
            conflicting=len(repeats.conflicting),
            in_train=len(in_train),
            tokens=tokens,
        )

    def labels(self, split: SplitData) -> dict[str, int]:
        """How often each label or tag occurs: labels of the corpus in the order of their ids, then all others."""
        counts: Counter[str] = Counter()
        for example in split.examples:
            counts.update(label_names(example))
        known = self.data.labels or ()
        return {label: counts[label] for label in (*known, *sorted(counts.keys() - set(known))) if counts[label]}


def _characters(corpus: Corpus, examples: Sequence[Example]) -> npt.NDArray[np.int64]:
    """The length in characters of each sequence before anything is cut."""
    rule = kind_named(corpus.kind).sequence_rule(corpus)
    texts = [[len(text) for text in example.texts] for example in examples]
    candidates = [[len(text) for text in example.candidates] for example in examples]
    return rule.uncut(rule.sizes(texts, candidates)).tokens
