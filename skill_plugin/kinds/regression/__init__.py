"""The kind regression: a score for one or two texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skill_plugin.kinds.kind import OPTIONS_OF_ANSWERS, ColumnSet, Kind
from skill_plugin.kinds.regression.keys import RegressionKeys

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
    from skill_plugin.readers.example import Example
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.spec.corpus import Corpus
    from skill_plugin.spec.written_corpus import WrittenCorpus
    from skill_plugin.store.row_storage import RowStorage
    from skill_plugin.text.sequences.sequence_rule import SequenceRule


class RegressionKind(Kind):
    """A number within the corpus's range."""

    name = "regression"
    column_sets = (ColumnSet(("text_a",), ("score",), ("text_b",)),)
    metrics = ("pearson", "spearman")
    texts = ("text_a", "text_b")
    options = OPTIONS_OF_ANSWERS
    keys = RegressionKeys
    head_options = ("score_scale",)

    def check_options(self, written: WrittenCorpus, values: dict[str, Any]) -> None:
        """A range has two ends."""
        low, high = values["own"].score_range or (0.0, 1.0)
        if low >= high:
            message = f"has a score_range from {low:g} to {high:g}; expected [LOWEST, HIGHEST]"
            raise written.fault(message, "score_range")

    def check_mix(self, written: WrittenCorpus, values: Mapping[str, Any]) -> None:
        """Each part has other scores."""
        if written.part is not None and values["own"].score_range is None:
            message = f"is of the mix {written.part.mix!r} and needs a 'score_range', as each part has other scores"
            raise written.fault(message)

    def train_fault(self, corpus: Corpus, examples: Sequence[Example]) -> str | None:
        """Without ``score_range`` it is that of train, which then must be one."""
        if RegressionKeys.of(corpus).score_range is not None or not examples:
            return None
        first = examples[0].answer
        if any(example.answer != first for example in examples):
            return None
        return f"has the one score {first} in train; expected two or more"

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.regression.reader import RegressionReader

        return RegressionReader

    def guess(self, sample: Sample) -> KindGuess | None:
        from skill_plugin.kinds.regression.guess import guess_regression

        return guess_regression(sample)

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.regression.storage import RegressionStorage

        return RegressionStorage()

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.kinds.regression.findings import RegressionFindings

        return RegressionFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.regression.items import RegressionItems

        return RegressionItems(reading)

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.classification import ClassificationHead
        from skill_plugin.nn.heads.head_spec import HeadSpec

        return HeadSpec(ClassificationHead, 1)

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.score import Score

        raw = RegressionKeys.of(corpus).score_scale == "raw"
        return Score(*facts.get("score_range", (-1.0, 1.0))) if raw else Score()

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        from skill_plugin.kinds.regression.metric import Regression

        return Regression(corpus.metric, items)

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.input_form import InputForm

        return InputForm(corpus)

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportTask
        from skill_plugin.kinds.regression.items import RegressionItems

        items = RegressionItems(reading)
        note = (
            f"Scores are not clipped to {items.lowest:g} to {items.highest:g}, the range of the corpus; predict does."
        )
        return ExportTask(ExportHead.SEQUENCE, ("score",), "regression", items.unit, items.zero, notes=(note,))

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.text.sequences.joined_texts import JoinedTexts

        return JoinedTexts


KIND = RegressionKind()
