"""The kind labelling: a tag for every word."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skill_plugin.kinds.kind import OPTIONS_OF_LABELS, ColumnSet, Kind, counted_fault
from skill_plugin.kinds.labelling.keys import LabellingKeys

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


class LabellingKind(Kind):
    """Tags of words, of which entities may be made."""

    name = "labelling"
    column_sets = (ColumnSet(("token",), ("tag",), ("sentence",)), ColumnSet(("text",), ("entities",)))
    metrics = ("f1", "accuracy")
    more_formats = ("conll",)
    options = (*OPTIONS_OF_LABELS, "join", "pattern", "stride")
    keys = LabellingKeys
    texts = ("text", "sentence")
    has_labels = True
    calibrated = True
    unlined = ("entities",)

    def check_columns(self, written: WrittenCorpus, columns: Collection[str], format_: str, *place: str | int) -> None:
        from skill_plugin.spec.formats import FORMATS

        if "entities" in columns and not (FORMATS[format_].nested or format_ == "lines"):  # lines say it themselves
            message = f"has the column 'entities', which the format {format_!r} cannot hold; expected jsonl or json"
            raise written.fault(message, *place, "entities")
        if format_ != "conll":
            return
        if "sentence" in columns:
            message = "has the column 'sentence', but in the format 'conll' blank lines divide sentences; expected tsv"
            raise written.fault(f"{message} or csv", *place, "sentence")
        if "text" in columns:
            message = "has the column 'text', but the format 'conll' has one word in a line; expected 'token' and 'tag'"
            raise written.fault(message, *place, "text")

    def joined_fault(self, joined: Collection[str], columns: Collection[str]) -> tuple[str, str] | None:
        return counted_fault(joined, columns, "entities", ("text",))

    def rows_become(self, columns: Collection[str]) -> str | None:
        return "sentence" if "sentence" in columns else None

    def sort_labels(self, names: Collection[str]) -> tuple[str, ...]:
        """O first."""
        from skill_plugin.spec.tag_schemes import OUTSIDE

        return tuple(sorted(names, key=lambda name: (name != OUTSIDE, name)))

    def labels_fault(self, corpus: Corpus, labels: Sequence[str]) -> str | None:
        """Entities are to be scored, but the tags are none."""
        from skill_plugin.spec.tag_schemes import OUTSIDE, RAW, find_scheme

        if corpus.metric != "f1" or (LabellingKeys.of(corpus).scheme or find_scheme(labels)) != RAW:
            return None
        shown = ", ".join([tag for tag in labels if tag != OUTSIDE][:3]) + (", …" if len(labels) > 3 else "")
        return (
            f"has the metric f1, which is of entities, but its tags ({shown}) have no scheme; expected "
            "metric: accuracy, or tags of a scheme: bio (B-TYPE, I-TYPE), bmes (B-, M-, E-, S-TYPE), bioes or bilou"
        )

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.labelling.reader import LabellingReader

        return LabellingReader

    def guess(self, sample: Sample) -> KindGuess | None:
        from skill_plugin.kinds.labelling.guess import guess_labelling

        return guess_labelling(sample)

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.labelling.storage import LabellingStorage

        return LabellingStorage(one_label=False)

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.kinds.labelling.findings import LabellingFindings

        return LabellingFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from skill_plugin.kinds.labelling.items import LabellingItems

        return LabellingItems(reading)

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.head_spec import HeadSpec
        from skill_plugin.nn.heads.linear import LinearHead

        return HeadSpec(LinearHead, len(labels))  # of each word's first sub-word

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.categorical import Categorical

        return Categorical(many_units=True, has_unknown=True)  # words, of which some have a tag that train lacks

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        from skill_plugin.kinds.labelling.metric import Labelling
        from skill_plugin.spec.tag_schemes import RAW

        return Labelling(corpus.metric, labels, facts.get("scheme", RAW), LabellingKeys.of(corpus).lenient)

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.labelling.input_form import LabellingInput

        return LabellingInput(corpus)

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportScript, ExportTask
        from skill_plugin.text.words import word_pattern

        spaced = reading.corpus.join == "space"
        settings = {"words": word_pattern(spaced), "spaced": spaced, "stride": reading.corpus.stride or 0}
        note = "A word's tag is read from its first piece, and words are what decode.py takes for one."
        return ExportTask(
            ExportHead.TOKENS,
            reading.labels,
            script=ExportScript(
                Path(__file__).with_name("decode.py"), 'tag("A text.")[0]  # words with their tags', ("regex",)
            ),
            settings=settings,
            notes=(note,),
        )

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.text.sequences.windowed_text import WindowedText

        return WindowedText


KIND = LabellingKind()
