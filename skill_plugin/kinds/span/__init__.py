"""The kind span: a question's answer as a piece of a context."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skill_plugin.kinds.kind import ColumnSet, Kind
from skill_plugin.kinds.span.keys import SpanKeys

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
    from skill_plugin.store.answer_reach import AnswerReach
    from skill_plugin.store.row_storage import RowStorage
    from skill_plugin.text.sequences.sequence_rule import SequenceRule


class SpanKind(Kind):
    """Where in the context the answer is, if it is there."""

    name = "span"
    column_sets = (ColumnSet(("question", "context"), ("answers",), ("answer_start", "is_impossible", "id")),)
    metrics = ("f1", "exact_match")
    more_formats = ("squad",)
    options = ("stride",)
    keys = SpanKeys
    texts = ("question", "context")

    def joined_fault(self, joined: Collection[str], columns: Collection[str]) -> tuple[str, str] | None:
        if "context" not in joined or "answer_start" not in columns:
            return None
        message = "has a context of several columns, in which 'answer_start' has no meaning; leave it out, and answers"
        return f"{message} are looked for by their text", "answer_start"

    def text_names(self, corpus: Corpus) -> tuple[str, ...]:
        return self.texts

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.span.reader import SpanReader

        return SpanReader

    def guess(self, sample: Sample) -> KindGuess | None:
        from skill_plugin.kinds.span.guess import guess_span

        return guess_span(sample)

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.span.storage import SpanStorage

        return SpanStorage()

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.kinds.span.findings import SpanFindings

        return SpanFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.span.items import SpanItems

        return SpanItems(reading)

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.head_spec import HeadSpec
        from skill_plugin.nn.heads.linear import LinearHead

        return HeadSpec(LinearHead, 2)  # of every position; a window's first one stands for "no answer here"

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.start_and_end import StartAndEnd

        return StartAndEnd()

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        from skill_plugin.kinds.span.metric import Span

        return Span(corpus.metric, corpus.language)

    def threshold_search(self, items: Items, metric: Metric[Any, Any]) -> ThresholdSearch | None:
        from skill_plugin.kinds.span.items import SpanItems
        from skill_plugin.kinds.span.threshold_search import NoAnswerThreshold

        if not items.reading.facts.get("no_answer"):
            return None
        assert isinstance(items, SpanItems)
        return NoAnswerThreshold(items, metric, SpanKeys.of(items.corpus).no_answer_threshold)

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.span.input_form import SpanInput

        return SpanInput(corpus)

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportScript, ExportTask

        corpus, own = reading.corpus, SpanKeys.of(reading.corpus)
        settings = {
            "max_question": own.max_question,
            "stride": corpus.stride or 0,
            "max_answer": own.max_answer,
            "no_answer": bool(reading.facts.get("no_answer")),
            "no_answer_threshold": (*reading.calibration.thresholds, own.no_answer_threshold)[0],
        }
        note = "decode.py chooses the answer: the best span of all windows of the context, or none."
        return ExportTask(
            ExportHead.SPAN,
            script=ExportScript(
                Path(__file__).with_name("decode.py"),
                "answer(question, context)[0]  # start, end and score of the best answers",
            ),
            settings=settings,
            notes=(note,),
        )

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.kinds.span.sequences import QuestionAndContext

        return QuestionAndContext

    def answer_reach(self, rule: SequenceRule) -> AnswerReach:
        from skill_plugin.kinds.span.answer_reach import SpanReach
        from skill_plugin.kinds.span.sequences import QuestionAndContext

        assert isinstance(rule, QuestionAndContext)
        return SpanReach(rule)


KIND = SpanKind()
