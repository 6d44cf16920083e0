"""A corpus as a person writes it: the keys of one section of the corpora file, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.registry import every_format, every_metric, every_own_option, kind_names
from skill_plugin.spec.mix import KEYS as MIX_KEYS
from skill_plugin.spec.values import (
    Character,
    ClassWeights,
    ColumnMap,
    Conditions,
    Count,
    EncodingName,
    Flag,
    OneOf,
    OneOrMore,
    Pattern,
    Separator,
    Several,
    Size,
    Smoothing,
    Text,
    TextMap,
    Texts,
)
from skill_plugin.spec.yaml_lines import LinedDict, LinedList


class CorpusSection(BaseModel):
    """The keys of one corpus, but for those that kinds bring themselves (``KindKeys``); ``model_fields_set`` says which
    of them were written.

    What stands below a key is its meaning in Markdown, of which the documentation makes its table of keys.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    shares: Text | None = Field(None, alias="as")
    """Another corpus: all that is not said here is as there, and its head, gate and task embedding are used. For
    another language's test set."""
    kind: Annotated[Text, OneOf(kind_names)] | None = None
    """What is asked. Decides columns, head, loss and metric."""
    language: Any = None  # checked as a name by the resolver
    """One of `languages`. Names the language's skill, and says how words and sentences are told apart."""
    skills: Texts = ()
    """The task skills that it activates, of `skills`."""
    labels: Texts | None = None
    """In the order of their ids; by default those of train, sorted (tags: `O` first)."""
    metric: Annotated[Text, OneOf(every_metric)] | None = None
    """The score in logs and tables; by default the kind's first."""
    head: Any = None
    """A name. Corpora with the same one share their head; their labels must be equal. By default the corpus's own
    name."""
    gate_from: OneOrMore = ()
    """A corpus, or a list: what its gate starts from where `--init-from` names a checkpoint without it. That of the
    corpus in the checkpoint, or the mean of several; by default random."""
    head_from: OneOrMore = ()
    """The same of its head. The labels must be equal."""
    embedding_from: OneOrMore = ()
    """The same of its task embedding. May also be `xavier`, drawn as Glorot and Bengio do."""
    positive_label: Text | None = None
    """What `f1` is about; by default the last of two labels."""
    label_map: TextMap = {}
    """`{label in the file: label here}`. In `ranking` names of choices to their places."""
    drop_labels: Texts = ()
    """Rows with such a label, as in the file or as mapped, are left out and counted."""
    placeholders: OneOrMore = ()
    """`[-1]`: what stands in place of an answer where there is none."""
    class_weights: ClassWeights | None = None
    """How much labels count in the loss: `balanced`, each as much as any other, or `{spam: 3}`, where others have 1.
    Scaled so that the mean over what is trained on is 1."""
    label_smoothing: Smoothing | None = None
    """The share of the truth that is spread evenly over all labels in the loss; by default `--label-smoothing`."""
    prefix: Text | None = None
    """What the input of a text-to-text model begins with, where a run has several: `nli: premise: …`. By default the
    name of the head."""
    text_names: TextMap = {}
    """`{text_a: premise, text_b: hypothesis}`: what stands before each text in the input of a text-to-text model, which
    is then `premise: … hypothesis: …`. By default the column's name in the file, or what it means here."""
    targets: TextMap = {}
    """`{label: text}`: what a text-to-text model writes for a label; by default the label."""
    join: Annotated[Text, OneOf(lambda: ("space", "none"))] | None = None
    """What stands between the words of a text that is made of words; with `none` a word of a text is a character. By
    default by language."""
    pattern: Pattern | None = None
    """With the format `conll`: a regular expression for what stands for a token, whose group is the token, as
    `'(.+?)[0-9]'` for `word3`."""
    in_average: Flag | None = None
    """Whether it counts in `avg`; by default as the kind does."""
    max_length: Count | None = None
    """Tokens of the longest sequence, special ones included; by default `--max-length`."""
    truncate: Annotated[Text, OneOf(lambda: ("longest", "right"))] = "longest"
    """What is cut of a sequence that is longer: of the longest text first, or the end."""
    stride: Count | None = None
    """Tokens from one window of a long text to the next; by default half of a window (`masked_lm`: a whole one)."""
    format: Annotated[Text, OneOf(every_format)] | None = None
    """How the files are written."""
    header: Flag = True
    """Whether the first row names the columns."""
    quoting: Annotated[Text, OneOf(lambda: ("none", "csv"))] | None = None
    """`csv`: cells may be wrapped in `quote`, doubled inside. `none`: quotes are text. By default `csv` for csv, `none`
    for tsv."""
    separator: Separator | None = None
    """What stands between cells. By default a tab, for csv a comma; for conll a tab, or spaces in lines without one."""
    quote: Character = '"'
    """With `quoting: csv`, what cells are wrapped in."""
    escape: Character | None = None
    """With `quoting: csv`, as `"\\\\"`: inside quotes a backslash and a quote are a quote, and two backslashes are one;
    before all else a backslash is text."""
    extra_cells: Annotated[Text, OneOf(lambda: ("error", "drop"))] = "error"
    """`error`: a row with more cells than the header, or without a header than most rows, is at fault. `drop`: cells
    beyond the header's, or without one beyond the last column that is used, are left out."""
    missing_cells: Annotated[Text, OneOf(lambda: ("error", "empty"))] = "error"
    """`error`: a row with fewer cells is at fault. `empty`: those that it lacks at its end are empty."""
    encoding: EncodingName = "utf-8"
    """Of the files, as `gb18030`."""
    max_cells: Several | None = None
    """A row is split at the first separators only, into so many cells: `2` with `separator: " "` reads `label text of
    any length`. For csv and tsv without quotes."""
    sheet: Text | None = None
    """The sheet of the workbook; by default its first one."""
    rows: Text | None = None
    """Where the rows are in the document, as `data.items`."""
    each: Text | None = None
    """As `passage.questions`: every element of that list is a row, which sees the columns around it too."""
    where: Conditions = {}
    """`{column: value}`, or a list of values: the other rows are not of this corpus, and are counted."""
    on_bad_row: Annotated[Text, OneOf(lambda: ("error", "skip"))] = "error"
    """`error`: a broken row stops `prepare`. `skip`: it is left out and counted."""
    columns: ColumnMap | None = None
    """Which column is which: `{text_a: COLUMN, label: COLUMN}`."""
    split: Any = None  # read by ``read_cut``
    """`{valid: 10%, test: 500, seed: 1}`: valid, test or both are made of the rows of train, as shares or numbers of
    rows."""
    train: Any = None
    """The file that is trained on, or a list. Without it the corpus is only evaluated."""
    train_rows: Size | None = None
    """`10%` or `235`: the part of the rows of train that is trained on, a share or a number of rows. All are prepared;
    training draws the part by its `--seed`, with the labels in their shares, and a smaller part is of a larger one.
    `--train-rows` says otherwise for one run."""
    valid: Any = None
    """The file that is scored while training, or a list."""
    test: Any = None
    """The file that is scored at the end, or a list. May lack the answers."""


ModelT = TypeVar("ModelT", bound=BaseModel)
KEYS = tuple(field.alias or name for name, field in CorpusSection.model_fields.items())


def read_section(name: str, raw: LinedDict, file: Path) -> CorpusSection:
    """Checks the keys and the types of the values of one corpus.

    Raises:
        InputError: the fault that stands first in the file.
    """
    for key in raw:
        if key == "mix_seed":
            raise InputError(f"corpus {name!r} has a 'mix_seed' but no 'mix'", file, raw.lines[key])
        if key not in KEYS and str(key) not in every_own_option():
            known = nearest(str(key), dict.fromkeys((*KEYS, *MIX_KEYS, *every_own_option())))
            raise InputError(f"corpus {name!r}: unknown key {str(key)!r}{known}", file, raw.lines[key])
        if raw[key] is None:
            raise InputError(f"corpus {name!r}: {key!r} has no value", file, raw.lines[key])
    return read_keys(CorpusSection, {key: raw[key] for key in raw if key in KEYS}, name, raw, file)


def read_keys(model: type[ModelT], values: Mapping[str | int, Any], name: str, raw: LinedDict, file: Path) -> ModelT:
    """Checks the types of the values of some keys of one corpus.

    Args:
        model: has a field for each of the keys.
        values: the keys.
        name: of the corpus.
        raw: its section, which knows the lines of the keys.
        file: the corpora file.

    Raises:
        InputError: the fault that stands first in the file.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        faults = [(find_line(raw, fault["loc"]), str(fault["loc"][0]), fault["msg"]) for fault in error.errors()]
        line, key, message = min(faults)
        raise InputError(f"corpus {name!r}: {key}: {message}", file, line) from None


def find_line(raw: Any, location: tuple[str | int, ...]) -> int:
    """The line of the key or item that a path of keys and indices leads to, as far as it can be followed."""
    line: int = raw.line
    for part in location:
        key: Any = part
        if isinstance(raw, LinedDict) and key not in raw:  # the validated key "0" was written 0
            key = next((written for written in raw if str(written) == str(part)), None)
        if key is None or not isinstance(raw, LinedDict | LinedList) or key == "[key]":
            break
        if isinstance(raw, LinedList) and not (isinstance(key, int) and key < len(raw)):  # an item that is missing
            break
        line = raw.lines[key]
        raw = raw[key]
    return line
