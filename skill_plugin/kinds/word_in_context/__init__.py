"""The kind word_in_context: one label for two words in one or two texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skill_plugin.kinds.kind import OPTIONS_OF_LABELS, OPTIONS_OF_TEXT_TO_TEXT, ColumnSet, Kind, counted_fault
from skill_plugin.kinds.word_in_context.keys import WordInContextKeys

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


class WordInContextKind(Kind):
    """One of the labels for two words, each where it stands."""

    name = "word_in_context"
    column_sets = (
        ColumnSet(("text_a", "start_a", "start_b"), ("label",), ("text_b", "end_a", "end_b", "word_a", "word_b")),
    )
    metrics = ("accuracy", "f1", "mcc")
    options = (*OPTIONS_OF_LABELS, *OPTIONS_OF_TEXT_TO_TEXT, "positive_label")
    keys = WordInContextKeys
    texts = ("text_a", "text_b")
    has_labels = True
    calibrated = True
    marks = ("*",) * 4

    def joined_fault(self, joined: Collection[str], columns: Collection[str]) -> tuple[str, str] | None:
        return counted_fault(joined, columns, "start_a", ("text_a", "text_b"))

    def check_columns(self, written: WrittenCorpus, columns: Collection[str], format_: str, *place: str | int) -> None:
        where = "" if place[0] == "columns" else f" in {place[0]}"
        for side in ("a", "b"):
            if f"start_{side}" in columns and not {f"end_{side}", f"word_{side}"} & set(columns):
                message = f"misses the column 'end_{side}' or 'word_{side}'{where}, which says where the word ends"
                raise written.fault(message, *place)

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.word_in_context.reader import WordInContextReader

        return WordInContextReader

    def guess(self, sample: Sample) -> KindGuess | None:
        from skill_plugin.kinds.word_in_context.guess import guess_word_in_context

        return guess_word_in_context(sample)

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.word_in_context.storage import WordInContextStorage

        return WordInContextStorage()

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.checking.row_findings import RowFindings

        return RowFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.word_in_context.items import WordInContextItems

        return WordInContextItems(reading)

    def answer_texts(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(corpus.targets.get(label, label) for label in labels)

    def text_items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.word_in_context.marked_words import MarkedWordItems

        return MarkedWordItems(reading)

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.classification import ClassificationHead
        from skill_plugin.nn.heads.head_spec import HeadSpec

        return HeadSpec(ClassificationHead, len(labels), tokens=3)  # the first one, and those of both words

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.categorical import Categorical

        return Categorical()

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        from skill_plugin.metrics.classification import Classification

        return Classification.of_labels(corpus.metric, labels, corpus.positive_label)

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.word_in_context.input_form import WordInContextInput

        return WordInContextInput(corpus)

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportScript, ExportTask

        note = "The head reads both words at their first visible pieces, whose positions are the graph's input `words`."
        return ExportTask(
            ExportHead.WORDS,
            reading.labels,
            script=ExportScript(
                Path(__file__).with_name("decode.py"),
                "answer([text_a, text_b], [(0, 4), (7, 11)])[0]  # of these characters of each",
            ),
            notes=(note,),
        )

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.text.sequences.joined_texts import JoinedTexts

        return JoinedTexts


KIND = WordInContextKind()
