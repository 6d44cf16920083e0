"""The kind labelling: a tag for every word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skill_plugin.kinds.kind import OPTIONS_OF_LABELS, TABULAR, ColumnSet, Kind

if TYPE_CHECKING:
    from skill_plugin.checking.row_findings import RowFindings
    from skill_plugin.kinds.input_form import InputForm
    from skill_plugin.kinds.items import Items, Reading
    from skill_plugin.metrics.metric import Metric
    from skill_plugin.nn.heads.head_spec import HeadSpec
    from skill_plugin.objectives.family import Family
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.spec.corpus import Corpus
    from skill_plugin.store.row_storage import RowStorage
    from skill_plugin.text.sequences.sequence_rule import SequenceRule


class LabellingKind(Kind):
    """Tags of words, of which entities may be made."""

    name = "labelling"
    column_sets = (ColumnSet(("token",), ("tag",), ("sentence",)), ColumnSet(("text",), ("entities",)))
    metrics = ("f1", "accuracy")
    formats = (*TABULAR, "conll")
    options = (*OPTIONS_OF_LABELS, "scheme", "lenient", "join", "word_separator", "pattern", "stride")
    texts = ("text", "sentence")
    has_labels = True

    @property
    def reader(self) -> type[ItemReader]:
        from skill_plugin.kinds.labelling.reader import LabellingReader

        return LabellingReader

    @property
    def storage(self) -> RowStorage:
        from skill_plugin.kinds.labelling.storage import LabellingStorage

        return LabellingStorage()

    def findings(self, corpus: Corpus) -> RowFindings:
        from skill_plugin.kinds.labelling.findings import LabellingFindings

        return LabellingFindings(corpus)

    def items(self, reading: Reading) -> Items:
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

        return Labelling(corpus.metric, labels, facts.get("scheme", RAW), corpus.lenient)

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.labelling.input_form import LabellingInput

        return LabellingInput(corpus)

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.text.sequences.windowed_text import WindowedText

        return WindowedText


KIND = LabellingKind()
