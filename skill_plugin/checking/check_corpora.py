"""Reads all raw files of a corpora file and reports what they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from skill_plugin.checking.lengths import SequenceCharacters
from skill_plugin.checking.notices import note_labels, note_language, note_repeats
from skill_plugin.checking.repeats import ClaimDigests, collect_keys, find_overlap
from skill_plugin.checking.report import CheckReport, CorpusNotice, SplitReport
from skill_plugin.checking.text_form import TextForm
from skill_plugin.checking.text_signs import TextSigns
from skill_plugin.checking.token_lengths import report_tokens
from skill_plugin.kinds.registry import kind_named
from skill_plugin.options.max_length import MAX_LENGTH
from skill_plugin.readers import Fault, SplitData
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import CorporaFile
from skill_plugin.store.encoder_faults import find_encoder_faults

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


def note_text_form(data: CorpusData, report: CheckReport, encoder: TextEncoder) -> None:
    """Adds what a text-to-text model reads and writes for a corpus without faults, where the encoder is of one."""
    if not encoder.text_to_text:
        return
    corpus, form = data.corpus, TextForm.of(data, encoder)
    report.text_to_text[corpus.name] = form
    if form.longest > _LONG_ANSWER:
        message = (
            f"the longest answer to be written has {form.longest:,} tokens; is the label a text? targets shorten it"
        )
        report.notices.append(CorpusNotice(corpus.name, "", Fault(str(corpus.file), corpus.line, message)))


_LONG_ANSWER = 64  # tokens; names of labels are shorter, and time and memory grow with it times the number of labels


class _Check:
    """Checks one corpus, and puts its splits, faults and notices into the report."""

    def __init__(self, data: CorpusData, encoder: TextEncoder | None, max_length: int, report: CheckReport) -> None:
        self.data = data
        self.corpus = data.corpus
        self.findings = kind_named(self.corpus.kind).findings(self.corpus)
        self.max_length = max_length
        self.report = report
        self.encoder = encoder if encoder is not None and self.fits(encoder) else None
        train = data.splits.get("train")
        self.train = collect_keys(self.findings, train.examples) if train is not None and len(data.splits) > 1 else None

    def run(self) -> None:
        self.report.corpora[self.corpus.name] = {
            name: self.split(name, self.data.splits[name]) for name in self.corpus.sources
        }
        self.report.notices += note_labels(self.data) + note_language(self.data)

    def fits(self, encoder: TextEncoder) -> bool:
        """Whether the corpus can be read and answered with it; if not, a fault is added."""
        faults = find_encoder_faults(self.data, encoder, self.max_length)
        self.report.faults += faults
        if not faults and not self.data.faults:
            note_text_form(self.data, self.report, encoder)
        return not faults

    def split(self, name: str, split: SplitData) -> SplitReport:
        corpus, examples = self.corpus, split.examples
        labels = self.labels(split)
        tags = self.data.labels or tuple(labels)
        contents = self.findings.contents(examples, tags)
        signs, claims, lengths = TextSigns(corpus), ClaimDigests(self.findings), SequenceCharacters(corpus)
        for block in examples.blocks():
            signs.add(block)
            claims.add(block)
            lengths.add(block)
        characters = lengths.summary()
        del lengths
        repeats = claims.find_repeats()
        del claims
        in_train = find_overlap(self.findings, examples, self.train if name != "train" else None)
        self.report.notices += [CorpusNotice(corpus.name, name, fault) for fault in split.notices]
        for example, message in (
            *signs.notices(),
            *self.findings.note_answers(name, examples, self.data.labels),
            *self.findings.note_rows(examples, tags),
            *note_repeats(self.findings, examples, repeats, in_train),
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
            characters=characters,
            contents=contents,
            duplicates=len(repeats.same),
            conflicting=len(repeats.conflicting),
            in_train=len(in_train),
            tokens=tokens,
            trained=self.data.trained if name == "train" else None,
        )

    def labels(self, split: SplitData) -> dict[str, int]:
        """How often each label or tag occurs: labels of the corpus in the order of their ids, then all others."""
        counts = split.examples.label_counts()
        known = self.data.labels or ()
        return {label: counts[label] for label in (*known, *sorted(counts.keys() - set(known))) if counts[label]}
