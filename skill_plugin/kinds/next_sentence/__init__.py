"""The kind next_sentence: whether a text follows another in a document."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from skill_plugin.kinds.kind import OPTIONS_OF_TEXT_TO_TEXT, ColumnSet, Kind

if TYPE_CHECKING:
    from skill_plugin.checking.row_findings import RowFindings
    from skill_plugin.guessing.kind_guess import KindGuess
    from skill_plugin.guessing.sample import Sample
    from skill_plugin.kinds.export_task import ExportTask
    from skill_plugin.kinds.input_form import InputForm
    from skill_plugin.kinds.items import CorpusReading, Items
    from skill_plugin.metrics.metric import Metric
    from skill_plugin.nn.heads.head_spec import HeadSpec
    from skill_plugin.objectives.family import Family
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.spec.corpus import Corpus
    from skill_plugin.store.row_storage import RowStorage
    from skill_plugin.text.sequences.sequence_rule import SequenceRule


class NextSentenceKind(Kind):
    """Whether the second of two texts is what follows the first."""

    name = "next_sentence"
    column_sets = (ColumnSet(("text",)), ColumnSet(("sentence",), (), ("document",)))
    metrics = ("accuracy",)
    more_formats = ("conll",)
    options = ("join", "pattern", *OPTIONS_OF_TEXT_TO_TEXT)
    texts = ("text", "sentence")
    fixed_labels = ("next", "other")
    in_average = False
    calibrated = True
    changes: ClassVar = {"sentence-spans": "paired single sentences, which are spans of them now"}
    running_text = ("sentence", "document")

    def rows_become(self, columns: Collection[str]) -> str | None:
        return "document" if "sentence" in columns else None

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.next_sentence.reader import NextSentenceReader

        return NextSentenceReader

    def guess(self, sample: Sample) -> KindGuess | None:
        return None  # every raw text may be read so too, which masked_lm says where it guesses itself

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.next_sentence.storage import NextSentenceStorage

        return NextSentenceStorage()

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.kinds.next_sentence.findings import NextSentenceFindings

        return NextSentenceFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.next_sentence.items import NextSentenceItems

        return NextSentenceItems(reading)

    def named_texts(self, columns: Collection[str]) -> tuple[str, ...]:
        return "text_a", "text_b"

    def answer_texts(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(corpus.targets.get(label, label) for label in self.fixed_labels)

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.head_spec import HeadSpec
        from skill_plugin.nn.heads.next_sentence import NextSentenceHead

        return HeadSpec(NextSentenceHead, len(self.fixed_labels))

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.categorical import Categorical

        return Categorical()

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        from skill_plugin.metrics.classification import Classification

        return Classification.of_labels(corpus.metric, labels, corpus.positive_label)

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.input_form import InputForm

        return InputForm(corpus, ("text_a", "text_b"))

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportTask

        return ExportTask(ExportHead.SEQUENCE, self.fixed_labels, "single_label_classification")

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.text.sequences.sentence_spans import SentenceSpans

        return SentenceSpans


KIND = NextSentenceKind()
