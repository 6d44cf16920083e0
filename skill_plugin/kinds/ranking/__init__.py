"""The kind ranking: the candidates of a query in order of relevance."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from skill_plugin.errors import InputError
from skill_plugin.kinds.kind import OPTIONS_OF_ANSWERS, OPTIONS_OF_TEXT_TO_TEXT, ColumnSet, Kind
from skill_plugin.kinds.ranking.keys import RANKED_BY, RankingKeys

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
    from skill_plugin.spec.written_corpus import WrittenCorpus
    from skill_plugin.store.row_storage import RowStorage
    from skill_plugin.text.sequences.sequence_rule import SequenceRule


# loss -> what its outputs can order candidates by, the default first; one that can do nothing else has no choice
class RankingKind(Kind):
    """Which candidates answer a query; a row is a query with its choices, or one candidate."""

    name = "ranking"
    column_sets = (
        ColumnSet(("text_a", "text_b"), ("label",), ("question", "query")),
        ColumnSet(("text_a", "choices"), ("label", "candidate_label"), ("question", "query", "candidate_text")),
    )
    metrics = ("accuracy", "top1", "mrr", "map", "ndcg", "f1", "f1a", "f1m", "macro_f1")
    options = (*OPTIONS_OF_ANSWERS, *OPTIONS_OF_TEXT_TO_TEXT, "label_map")
    keys = RankingKeys
    head_options = ("loss", "grades")
    texts = ("text_a", "text_b", "question")
    changes: ClassVar = {"joined-question": "kept query and question apart, which are one text now"}
    listed = ("choices",)
    unlined = ("choices",)
    nested = ("candidate_text", "candidate_label")

    def check_columns(self, written: WrittenCorpus, columns: Collection[str], format_: str, *place: str | int) -> None:
        if "candidate_label" in columns and "label" in columns:
            message = (
                "has both columns 'label' and 'candidate_label'; expected the place of the right choice, or a label"
            )
            raise written.fault(f"{message} in each of the choices", *place, "label")

    def rows_become(self, columns: Collection[str]) -> str | None:
        return None if "choices" in columns else "query"

    def text_names(self, corpus: Corpus) -> tuple[str, ...]:
        return ("text_a", "question") if "question" in corpus.columns else ("text_a",)

    def is_changed(self, corpus: Corpus) -> bool:
        return "question" in corpus.columns

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.ranking.reader import RankingReader

        return RankingReader

    def guess(self, sample: Sample) -> KindGuess | None:
        from skill_plugin.kinds.ranking.guess import guess_ranking

        return guess_ranking(sample)

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.ranking.storage import RankingStorage

        return RankingStorage()

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.kinds.ranking.findings import RankingFindings

        return RankingFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.ranking.items import RankingItems

        return RankingItems(reading)

    def named_texts(self, columns: Collection[str]) -> tuple[str, ...]:
        """The candidate last, as it is in a sequence."""
        return tuple(name for name in ("text_a", "question", "text_b", "choices") if name in columns)

    def known_answers(self, values: Mapping[str, Any]) -> Sequence[str] | None:
        own: RankingKeys = values["own"]
        return (
            ("0", "1")
            if own.loss == "pointwise"
            else None
            if own.grades is None
            else tuple(map(str, range(own.grades)))
        )

    def answer_texts(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Of each relevance, by its number.

        Raises:
            InputError: a listwise score, which is no text.
        """
        if RankingKeys.of(corpus).loss == "listwise":
            message = "a text-to-text model answers for each candidate by itself; expected loss: pointwise or graded"
            raise InputError(f"corpus {corpus.name!r}: {message}, not listwise", corpus.file, corpus.line)
        return tuple(corpus.targets.get(str(n), str(n)) for n in range(_outputs(corpus, facts)))

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.classification import ClassificationHead
        from skill_plugin.nn.heads.head_spec import HeadSpec

        return HeadSpec(ClassificationHead, _outputs(corpus, facts))

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.listwise import Listwise
        from skill_plugin.objectives.pointwise import Pointwise

        loss = RankingKeys.of(corpus).loss
        return Listwise() if loss == "listwise" else Pointwise(graded=loss == "graded")

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        from skill_plugin.kinds.ranking.metric import Ranking

        return Ranking(corpus.metric, RankingKeys.of(corpus).without_positive == "zero")

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.ranking.input_form import RankingInput

        return RankingInput(corpus)

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportScript, ExportTask
        from skill_plugin.kinds.ranking.items import RankingItems

        corpus, items = reading.corpus, RankingItems(reading)
        own = RankingKeys.of(corpus)
        script = ExportScript(Path(__file__).with_name("decode.py"), "rank([query], candidates)[0]  # a score for each")
        notes = ["The query is the first text, a candidate the second. The candidate with the highest score is best."]
        asked, joined = "question" in corpus.columns, reading.joined_question
        settings = {
            "texts": 2 if asked else 1,
            "joined": joined,
            "cut": "left" if asked and joined else corpus.truncate,  # as QueryAndCandidates.kept
            "least": items.rule.room // 2 if joined else 0,
            "ranked_by": own.ranked_by or (RANKED_BY[own.loss] or ("",))[0],
        }
        if asked and joined:
            notes.append("The first text is the query, a space and the question.")
        if own.loss == "listwise":
            notes.append("A candidate's score says something beside those of the query's other candidates only.")
            return ExportTask(
                ExportHead.CHOICE, script=script, settings=settings, notes=tuple(notes), agreement=items.agreement
            )
        score = {
            "probability": "the probability of class 1",
            "logit": "the logit of class 1",
            "expected": "the sum of the grades times their probabilities",
            "likeliest": "the likeliest grade",
        }[own.ranked_by or "probability"]
        notes.append(f"Each candidate is an example of its own; its score is {score}.")
        grades = _outputs(corpus, reading.facts)
        labels = ("wrong", "right") if own.loss == "pointwise" else tuple(map(str, range(grades)))
        return ExportTask(
            ExportHead.SEQUENCE, labels, "single_label_classification",
            script=script, settings=settings, notes=tuple(notes), agreement=items.agreement,
        )  # fmt: skip

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.text.sequences.query_and_candidates import QueryAndCandidates

        return QueryAndCandidates

    def check_options(self, written: WrittenCorpus, values: dict[str, Any]) -> None:
        """What the loss leaves to be chosen."""
        own: RankingKeys = values["own"]
        allowed = RANKED_BY[own.loss]
        if own.grades is not None and own.loss != "graded":
            raise written.fault(f"has 'grades', which say something for loss: graded only, not {own.loss}", "grades")
        if own.ranked_by is None and allowed:
            values["own"] = own.model_copy(update={"ranked_by": allowed[0]})
        elif own.ranked_by not in (allowed or (None,)):
            expected = f"one of: {', '.join(allowed)}" if allowed else "none, as there is only one"
            message = f"has ranked_by {own.ranked_by!r}, but its loss is {own.loss}; expected {expected}"
            raise written.fault(message, "ranked_by")


def _outputs(corpus: Corpus, facts: Mapping[str, Any]) -> int:
    """How many numbers say what a candidate is: wrong and right, a score, or the grades."""
    loss = RankingKeys.of(corpus).loss
    if loss != "graded":
        return 2 if loss == "pointwise" else 1
    if "grades" not in facts:
        message = f"corpus {corpus.name!r} needs 'grades', since its relevances are not known here"
        raise InputError(message, corpus.file, corpus.line)
    return int(facts["grades"])


KIND = RankingKind()
