"""The kind multilabel: any number of labels for one to three texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skill_plugin.kinds.kind import OPTIONS_OF_LABELS, ColumnSet, Kind
from skill_plugin.kinds.multilabel.keys import MultilabelKeys

if TYPE_CHECKING:
    from skill_plugin.checking.row_findings import RowFindings
    from skill_plugin.guessing.kind_guess import KindGuess
    from skill_plugin.guessing.sample import Sample
    from skill_plugin.kinds.export_task import ExportTask
    from skill_plugin.kinds.input_form import InputForm
    from skill_plugin.kinds.items import CorpusReading, Items
    from skill_plugin.kinds.threshold_search import ThresholdSearch
    from skill_plugin.metrics.metric import Metric
    from skill_plugin.nn.heads.head_spec import HeadSpec
    from skill_plugin.objectives.family import Family
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.spec.corpus import Corpus
    from skill_plugin.store.row_storage import RowStorage
    from skill_plugin.text.sequences.sequence_rule import SequenceRule


class MultilabelKind(Kind):
    """Each of the labels is right or wrong by itself."""

    name = "multilabel"
    column_sets = (ColumnSet(("text_a",), ("label",), ("text_b", "text_c")),)
    metrics = ("micro_f1", "macro_f1")
    options = OPTIONS_OF_LABELS
    keys = MultilabelKeys
    has_labels = True
    calibrated = True
    flagged = ("label",)
    fewest_labels = 1

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.multilabel.reader import MultilabelReader

        return MultilabelReader

    def guess(self, sample: Sample) -> KindGuess | None:
        from skill_plugin.kinds.multilabel.guess import guess_multilabel

        return guess_multilabel(sample)

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.store.row_storage import RowStorage

        return RowStorage(one_label=False)

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.kinds.multilabel.findings import MultilabelFindings

        return MultilabelFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.multilabel.items import MultilabelItems

        return MultilabelItems(reading)

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.classification import ClassificationHead
        from skill_plugin.nn.heads.head_spec import HeadSpec

        return HeadSpec(ClassificationHead, len(labels))

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.independent_labels import IndependentLabels

        return IndependentLabels()

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        from skill_plugin.kinds.multilabel.metric import Multilabel

        return Multilabel(corpus.metric, labels)

    def threshold_search(self, items: Items, metric: Metric[Any, Any]) -> ThresholdSearch:
        from skill_plugin.kinds.multilabel.threshold_search import LabelThresholds

        return LabelThresholds(len(items.reading.labels), metric.name == "micro_f1")

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.input_form import InputForm

        return InputForm(corpus)

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportTask

        note = "A text has each label whose logit is above 0, that is, whose probability is above one half."
        settings = {}
        if thresholds := dict(zip(reading.labels, reading.calibration.thresholds, strict=False)):
            shown = ", ".join(f"`{label}` {threshold:.4g}" for label, threshold in thresholds.items())
            note = f"A text has each label whose probability is above its threshold: {shown}."
            settings = {"thresholds": thresholds}
        return ExportTask(
            ExportHead.SEQUENCE,
            reading.labels,
            "multi_label_classification",
            settings=settings,
            notes=(note,),
            thresholds=reading.calibration.thresholds or (0.5,) * len(reading.labels),
        )

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.text.sequences.joined_texts import JoinedTexts

        return JoinedTexts


KIND = MultilabelKind()
