"""What a kind of corpus must give: all that the rest of the program asks about it.

A kind is a folder: a package whose ``__init__`` has the facts, and ``KIND``, an instance of its class. The facts are
read whenever a corpora file is, so the package imports neither torch nor anything that is slow; what needs more stands
in modules beside it, which the methods import when they are asked. ``kinds/classification`` is the simplest example,
``kinds/span`` one with keys of the corpora file that no other kind has.

``kinds/registry.py`` knows which package each kind is, one line each. A package of others registers its kinds with one
line of its ``pyproject.toml``, and every command then knows them, in every process, once it is installed::

    [project.entry-points."skill_plugin.kinds"]
    sarcasm = "my_package.sarcasm"
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

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
    from skill_plugin.readers.example import Example
    from skill_plugin.readers.item_reader import ItemReader
    from skill_plugin.spec.corpus import Corpus
    from skill_plugin.spec.kind_keys import KindKeys
    from skill_plugin.spec.written_corpus import WrittenCorpus
    from skill_plugin.store.answer_reach import AnswerReach
    from skill_plugin.store.row_storage import RowStorage
    from skill_plugin.text.sequences.sequence_rule import SequenceRule

OPTIONS_OF_ANSWERS = ("drop_labels", "placeholders")  # of kinds whose answer is one cell
OPTIONS_OF_LABELS = ("labels", "label_map", *OPTIONS_OF_ANSWERS, "class_weights", "label_smoothing")
OPTIONS_OF_TEXT_TO_TEXT = ("prefix", "text_names", "targets")


@dataclass(frozen=True)
class ColumnSet:
    """One way in which the columns of a file can hold the items of a kind.

    Attributes:
        needed: columns without which a row has no meaning.
        answers: columns with the answer, of which one is needed, except in a test split. Empty = no answer.
        optional: further columns.
    """

    needed: tuple[str, ...]
    answers: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.needed, *self.answers, *self.optional)


def counted_fault(
    joined: Collection[str], columns: Collection[str], counting: str, texts: Sequence[str]
) -> tuple[str, str] | None:
    """The ``Kind.joined_fault`` of a column that counts the characters of texts."""
    name = next((name for name in texts if counting in columns and name in joined), None)
    if name is None:
        return None
    return f"has several columns for {name!r}, of which {counting!r} counts the characters; expected one column", name


class Kind(ABC):
    """A kind of corpus.

    Attributes:
        name: as in the corpora file and the registry.
        column_sets: which columns go together, the usual ones first.
        metrics: allowed metrics, the default one first.
        costs: those of which less is better. They are no shares: they are shown as they are, and are in no average.
        more_formats: raw formats from which it can be read, beside those that hold every kind.
        options: keys of ``CorpusSection`` that say something for this kind, but not for every one.
        keys: further keys, which it brings itself; ``Corpus.own`` has their values.
        head_options: options that say what a head's outputs mean: corpora that share a head have them alike.
        texts: columns that hold text, so that several may be joined.
        listed: columns that may be a list of columns, one for each listed thing.
        flagged: columns that may be columns of 0 and 1, one for each label.
        unlined: columns that a line of a text file cannot hold.
        nested: columns that are keys inside the values of another.
        running_text: of a kind of raw text, the columns that the format conll gives of it.
        has_labels: whether its answers are names from a list, as ``labels`` in the corpora file.
        fewest_labels: the fewest labels with which there is something to learn.
        fixed_labels: labels that no corpus names, in the order of their ids.
        masks: whether the targets are masked tokens (``--mlm-batch-share``).
        marks: words that a text-to-text model finds inside the texts beside their own.
        changes: what earlier versions read differently, so that no run of theirs can be resumed: the name of each,
            and what they did.
        in_average: whether its metric counts in ``avg`` when the corpus does not say.
        calibrated: whether its outputs are logits of labels, whose probabilities a temperature makes honest.
    """

    name: ClassVar[str]
    column_sets: ClassVar[tuple[ColumnSet, ...]]
    metrics: ClassVar[tuple[str, ...]]
    costs: ClassVar[tuple[str, ...]] = ()
    more_formats: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[type[KindKeys] | None] = None
    head_options: ClassVar[tuple[str, ...]] = ()
    texts: ClassVar[tuple[str, ...]] = ("text_a", "text_b", "text_c")
    listed: ClassVar[tuple[str, ...]] = ()
    flagged: ClassVar[tuple[str, ...]] = ()
    unlined: ClassVar[tuple[str, ...]] = ()
    nested: ClassVar[tuple[str, ...]] = ()
    running_text: ClassVar[tuple[str, ...]] = ()
    has_labels: ClassVar[bool] = False
    fewest_labels: ClassVar[int] = 2
    fixed_labels: ClassVar[tuple[str, ...]] = ()
    masks: ClassVar[bool] = False
    marks: ClassVar[tuple[str, ...]] = ()
    changes: ClassVar[Mapping[str, str]] = {}
    in_average: ClassVar[bool] = True
    calibrated: ClassVar[bool] = False

    @property
    def formats(self) -> tuple[str, ...]:
        """Raw formats from which it can be read."""
        from skill_plugin.spec.formats import OF_EVERY_KIND

        return (*OF_EVERY_KIND, *self.more_formats)

    @property
    def own_options(self) -> tuple[str, ...]:
        """The keys that it brings itself."""
        return () if self.keys is None else tuple(self.keys.model_fields)

    @property
    def all_options(self) -> tuple[str, ...]:
        """``options``, and the keys that it brings itself."""
        return (*self.options, *self.own_options)

    @property
    def default_metric(self) -> str:
        """The metric of a corpus that names none."""
        return self.metrics[0]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of all sets."""
        return tuple(dict.fromkeys(name for one in self.column_sets for name in one.columns))

    @property
    def answers(self) -> tuple[str, ...]:
        """The columns that a test split may lack."""
        return tuple(dict.fromkeys(name for one in self.column_sets for name in one.answers))

    def column_set(self, columns: Collection[str]) -> ColumnSet:
        """The set that is meant by these columns: the one with most of its needed and then most of all columns."""
        return max(self.column_sets, key=lambda one: [sum(c in columns for c in n) for n in (one.needed, one.columns)])

    def check_options(self, written: WrittenCorpus, values: dict[str, Any]) -> None:  # noqa: B027
        """Checks the kind's options against one another, and fills in defaults that follow from others.

        Args:
            written: the corpus as in the corpora file.
            values: its keys with what it inherits; ``own`` are those of ``keys``.

        Raises:
            InputError: with the line of the option at fault.
        """

    def check_columns(  # noqa: B027
        self, written: WrittenCorpus, columns: Collection[str], format_: str, *place: str | int
    ) -> None:
        """Checks columns that are of one set against one another and the format.

        Args:
            written: the corpus as in the corpora file.
            columns: those that it has.
            format_: in which it is.
            place: where the columns stand in the corpora file.

        Raises:
            InputError: with the line of the column at fault.
        """

    def joined_fault(self, joined: Collection[str], columns: Collection[str]) -> tuple[str, str] | None:
        """What is wrong with texts that are joined from several columns.

        Args:
            joined: fields that are.
            columns: all fields of the corpus.

        Returns:
            What to say and the field at fault; None where nothing is wrong.
        """
        return None

    def check_mix(self, written: WrittenCorpus, values: Mapping[str, Any]) -> None:  # noqa: B027
        """Checks what a corpus needs whose rows are divided among languages; see ``check_options``."""

    def rows_become(self, columns: Collection[str]) -> str | None:
        """What several rows make together, as "query"; None where each row is an item."""
        return None

    def text_names(self, corpus: Corpus) -> tuple[str, ...]:
        """The columns that the texts of an example come from, in their order; of a document's sentences the one."""
        return corpus.text_columns or self.column_set(corpus.columns).needed[:1]

    def named_texts(self, columns: Collection[str]) -> tuple[str, ...]:
        """The texts of a sequence that have names in a text-to-text model (``text_names``), in their order."""
        return tuple(name for name in self.texts if name in columns) if "text_names" in self.options else ()

    def known_answers(self, values: Mapping[str, Any]) -> Sequence[str] | None:
        """The names of all answers (``targets``); None where only the data know them.

        Args:
            values: keys of the corpus, with what it inherits.
        """
        return self.fixed_labels or values.get("labels")

    def answer_texts(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any]) -> tuple[str, ...] | None:
        """What a text-to-text model writes for each answer, in the order of their ids; empty where the answer is no
        choice, None where it cannot be written.

        Args:
            corpus, labels, facts: as for ``head``.
        """
        return None

    def sort_labels(self, names: Collection[str]) -> tuple[str, ...]:
        """The labels of train in the order of their ids."""
        return tuple(sorted(names))

    def labels_fault(self, corpus: Corpus, labels: Sequence[str]) -> str | None:
        """Why the corpus cannot have these labels, which were read from train."""
        return None

    def train_fault(self, corpus: Corpus, examples: Sequence[Example]) -> str | None:
        """Why there is nothing to learn of the rows of train, each of which is good."""
        return None

    def is_changed(self, corpus: Corpus) -> bool:
        """Whether ``changes`` are of this corpus."""
        return bool(self.changes)

    @property
    @abstractmethod
    def reader(self) -> type[ItemReader]:
        """What makes examples of raw rows."""

    def guess(self, sample: Sample) -> KindGuess | None:
        """What the columns would be if the sample were of this kind; None where it does not look like it.

        What is shared: columns that are named as those of the kind are.
        """
        from skill_plugin.guessing.by_names import guess_by_names

        return guess_by_names(self, sample)

    @property
    @abstractmethod
    def storage(self) -> RowStorage:
        """How examples are stored; ``RowStorage`` itself is the usual way."""

    @abstractmethod
    def findings(self, corpus: Corpus) -> RowFindings:
        """What ``check`` says of rows; ``RowFindings`` itself speaks of texts that have one label."""

    @abstractmethod
    def items(self, reading: CorpusReading) -> Items:
        """How rows are read, learned and answered.

        Raises:
            InputError: the corpus cannot be read so (no mask, no range of scores).
        """

    def text_items(self, reading: CorpusReading) -> Items:
        """``items`` as a text-to-text model reads them: their sequences are its source sequences."""
        return self.items(reading)

    @abstractmethod
    def head(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], vocabulary: int) -> HeadSpec:
        """What the head of a corpus reads and gives.

        Args:
            corpus: as the corpora file has it.
            labels: in the order of their ids.
            facts: of ``RowStorage.facts``.
            vocabulary: how many pieces the encoder knows.

        Raises:
            InputError: a fact that is needed is not known.
        """

    @abstractmethod
    def family(self, corpus: Corpus, facts: Mapping[str, Any]) -> Family:
        """What the outputs of a corpus's head stand for.

        Args:
            corpus, facts: as for ``head``.
        """

    @abstractmethod
    def metric(self, corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], items: int) -> Metric[Any, Any]:
        """How answers are scored, by ``corpus.metric``.

        Args:
            corpus: as the corpora file has it.
            labels: in the order of their ids.
            facts: of ``RowStorage.facts``.
            items: in the split that is scored, for metrics that need all answers at once.

        Raises:
            ValueError: the corpus's labels or tags do not have this metric.
        """

    def threshold_search(self, items: Items, metric: Metric[Any, Any]) -> ThresholdSearch | None:
        """What finds the thresholds of ``Calibration`` with the best value of a metric; None where there are none.

        Args:
            items: how rows of the corpus are read and answered.
            metric: how they are scored.
        """
        return None

    @abstractmethod
    def input_form(self, corpus: Corpus) -> InputForm:
        """What a person may ask ``predict``."""

    def export_task(self, reading: CorpusReading) -> ExportTask:
        """How an exported model answers for a corpus.

        Raises:
            InputError: the kind does not say.
        """
        from skill_plugin.errors import InputError

        raise InputError(f"corpus {reading.corpus.name!r}: the kind {self.name} does not say how it is exported")

    @property
    @abstractmethod
    def sequence_rule(self) -> type[SequenceRule]:
        """Which sequences a row becomes."""

    def answer_reach(self, rule: SequenceRule) -> AnswerReach | None:
        """What counts the answers that no prediction can be; None where any answer can."""
        return None
