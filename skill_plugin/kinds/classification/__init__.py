"""The kind classification: one label for one to three texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skill_plugin.kinds.kind import OPTIONS_OF_LABELS, OPTIONS_OF_TEXT_TO_TEXT, ColumnSet, Kind

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


class ClassificationKind(Kind):
    """One of the labels for the texts of a row."""

    name = "classification"
    column_sets = (ColumnSet(("text_a",), ("label",), ("text_b", "text_c")),)
    metrics = ("accuracy", "f1", "macro_f1", "mcc")
    options = (*OPTIONS_OF_LABELS, *OPTIONS_OF_TEXT_TO_TEXT, "positive_label")
    has_labels = True
    calibrated = True

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.classification.reader import ClassificationReader

        return ClassificationReader

    def guess(self, sample: Sample) -> KindGuess | None:
        from skill_plugin.kinds.classification.guess import guess_classification

        return guess_classification(sample)

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.store.row_storage import RowStorage

        return RowStorage()

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.checking.row_findings import RowFindings

        return RowFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.classification.items import ClassificationItems

        return ClassificationItems(reading)

    def answer_texts(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(corpus.targets.get(label, label) for label in labels)

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.classification import ClassificationHead
        from skill_plugin.nn.heads.head_spec import HeadSpec

        return HeadSpec(ClassificationHead, len(labels))

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.categorical import Categorical

        return Categorical()

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        from skill_plugin.metrics.classification import Classification

        return Classification.of_labels(corpus.metric, labels, corpus.positive_label)

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.input_form import InputForm

        return InputForm(corpus)

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportTask

        return ExportTask(ExportHead.SEQUENCE, reading.labels, "single_label_classification")

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.text.sequences.joined_texts import JoinedTexts

        return JoinedTexts


KIND = ClassificationKind()
