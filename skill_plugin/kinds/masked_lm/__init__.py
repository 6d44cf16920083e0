"""The kind masked_lm: masked tokens of running text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skill_plugin.kinds.kind import ColumnSet, Kind

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


class MaskedLMKind(Kind):
    """What some tokens were before they were masked."""

    name = "masked_lm"
    column_sets = (ColumnSet(("text",)),)
    metrics = ("perplexity", "accuracy")
    costs = ("perplexity",)
    more_formats = ("conll",)
    options = ("join", "pattern", "stride", "prefix")
    texts = ("text",)
    in_average = False
    running_text = ("text",)
    masks = True

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.masked_lm.reader import MaskedLMReader

        return MaskedLMReader

    def guess(self, sample: Sample) -> KindGuess | None:
        from skill_plugin.kinds.masked_lm.guess import guess_masked_lm

        return guess_masked_lm(sample)

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.store.row_storage import RowStorage

        return RowStorage()

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.kinds.masked_lm.findings import MaskedLmFindings

        return MaskedLmFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.masked_lm.items import MaskedLmItems

        return MaskedLmItems(reading)

    def text_items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.masked_lm.corrupted_spans import CorruptedSpanItems

        return CorruptedSpanItems(reading)

    def answer_texts(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any]) -> tuple[str, ...]:
        return ()

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.head_spec import HeadSpec
        from skill_plugin.nn.heads.masked_lm import MaskedLmHead

        return HeadSpec(MaskedLmHead, vocabulary)

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.categorical import Categorical

        return Categorical(many_units=True)  # masked tokens

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        from skill_plugin.kinds.masked_lm.metric import MaskedLm

        return MaskedLm(corpus.metric)

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.input_form import InputForm

        return InputForm(corpus)

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportScript, ExportTask

        return ExportTask(
            ExportHead.MASKED,
            script=ExportScript(
                Path(__file__).with_name("decode.py"), 'fill("A <mask> text.")[0]  # the likeliest pieces of each mask'
            ),
            settings={"mask": reading.encoder.vocabulary.mask, "stride": reading.corpus.stride or 0},
            notes=("What is to be guessed is `<mask>` in the text.",),
        )

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.kinds.masked_lm.sequences import SeparateWindows

        return SeparateWindows


KIND = MaskedLMKind()
