"""Reads all raw files of a corpora file and says what is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from skill_plugin.checking.notices import about_labels, about_rows, overlapping, repeated
from skill_plugin.checking.report import CheckReport, Lengths, SplitReport
from skill_plugin.checking.token_lengths import token_report
from skill_plugin.readers import Split
from skill_plugin.readers.example import label_names
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import CorporaFile

if TYPE_CHECKING:
    from skill_plugin.text.text_encoder import TextEncoder


def check_corpora(
    corpora_file: CorporaFile,
    encoder: TextEncoder | None = None,
    max_length: int = 128,
    on_corpus: Callable[[str], None] | None = None,
) -> CheckReport:
    """Checks the selected corpora; faults of the raw data are in the report.

    Args:
        encoder: adds lengths in tokens, truncation and unknown pieces.
        max_length: tokens, special ones included, for corpora that do not say their own.
        on_corpus: called with the name of each corpus when it is done.
    """
    report = CheckReport()
    reader = CorpusReader(corpora_file)
    for corpus in corpora_file.corpora.values():
        data = reader.read(corpus)
        report.faults += data.faults
        if data.labels is not None:
            report.labels[corpus.name] = data.labels
        report.corpora[corpus.name] = {
            name: _report_split(data, name, encoder, max_length, report) for name in corpus.sources
        }
        report.notices += about_labels(data)
        if on_corpus is not None:
            on_corpus(corpus.name)
    return report


def _report_split(
    data: CorpusData, name: str, encoder: TextEncoder | None, max_length: int, report: CheckReport
) -> SplitReport:
    corpus, split = data.corpus, data.splits[name]
    report.notices += split.notices
    same, conflicting = repeated(split.examples)
    train = data.splits.get("train")
    shared = [] if train is None or name == "train" else overlapping(split.examples, train.examples)
    report.notices += about_rows(corpus.name, name, same, "repeat an earlier row")
    report.notices += about_rows(corpus.name, name, conflicting, "have the texts of an earlier row but another label")
    report.notices += about_rows(corpus.name, name, shared, "also occur in train")
    tokens = None
    if encoder is not None:
        limit = corpus.max_length or max_length
        tokens = token_report(split.examples, encoder, limit)
    return SplitReport(
        kind=corpus.kind,
        language=corpus.language,
        rows=len(split.examples),
        skipped=split.skipped,
        labels=_label_counts(data, split),
        characters=Lengths.of(sum(map(len, example.texts)) for example in split.examples),
        duplicates=len(same),
        in_train=len(shared),
        tokens=tokens,
    )


def _label_counts(data: CorpusData, split: Split) -> dict[str, int]:
    counts = Counter(name for example in split.examples for name in label_names(example))
    order = data.labels or tuple(sorted(counts))
    return {label: counts[label] for label in order if counts[label]}
