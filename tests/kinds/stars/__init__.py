"""A toy kind, as another package would bring it: how many stars a review gives, from 1 to 5 or another number.

It has columns and a key of its own, an array in the store, an answer and a metric; head, losses and sequences are
shared ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skill_plugin.kinds.kind import ColumnSet, Kind
from tests.kinds.stars.keys import StarsKeys

if TYPE_CHECKING:
    from skill_plugin.kinds.export_task import ExportTask
    from skill_plugin.kinds.input_form import InputForm
    from skill_plugin.kinds.items import CorpusReading, Items
    from skill_plugin.nn.heads.head_spec import HeadSpec
    from skill_plugin.objectives.family import Family
    from skill_plugin.spec.corpus import Corpus
    from skill_plugin.text.sequences.sequence_rule import SequenceRule
    from tests.kinds.stars.findings import StarsFindings
    from tests.kinds.stars.metric import Closeness
    from tests.kinds.stars.reader import StarsReader
    from tests.kinds.stars.storage import StarsStorage


class StarsKind(Kind):
    """Stars are classes that are near to one another or far."""

    name = "stars"
    column_sets = (ColumnSet(("review",), ("stars",)),)
    metrics = ("closeness", "exact", "distance")
    costs = ("distance",)
    formats = ("tsv", "jsonl")
    keys = StarsKeys
    head_options = ("most",)
    texts = ("review",)

    @property
    def reader(self) -> type[StarsReader]:
        from tests.kinds.stars.reader import StarsReader

        return StarsReader

    @property
    def storage(self) -> StarsStorage:
        from tests.kinds.stars.storage import StarsStorage

        return StarsStorage()

    def findings(self, corpus: Corpus) -> StarsFindings:
        from tests.kinds.stars.findings import StarsFindings

        return StarsFindings(corpus)

    def items(self, reading: CorpusReading) -> Items:
        from tests.kinds.stars.items import StarsItems

        return StarsItems(reading)

    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        from skill_plugin.nn.heads.classification import ClassificationHead
        from skill_plugin.nn.heads.head_spec import HeadSpec

        return HeadSpec(ClassificationHead, StarsKeys.of(corpus).most)

    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        from skill_plugin.objectives.categorical import Categorical

        return Categorical()

    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Closeness:
        from tests.kinds.stars.metric import Closeness

        return Closeness(corpus.metric, StarsKeys.of(corpus).most)

    def input_form(self, corpus: Corpus) -> InputForm:
        from skill_plugin.kinds.input_form import InputForm

        return InputForm(corpus)

    def export_task(self, reading: CorpusReading) -> ExportTask:
        from skill_plugin.kinds.export_task import ExportHead, ExportScript, ExportTask

        script = ExportScript(Path(__file__).with_name("decode.py"), 'answer("A review.")[0]  # how many stars')
        most = StarsKeys.of(reading.corpus).most
        labels = tuple(f"{number + 1} stars" for number in range(most))
        return ExportTask(ExportHead.SEQUENCE, labels, "single_label_classification", script=script)

    @property
    def sequence_rule(self) -> type[SequenceRule]:
        from skill_plugin.text.sequences.joined_texts import JoinedTexts

        return JoinedTexts


KIND = StarsKind()
