"""One corpus as the rest of the program sees it, with everything that it inherits and all defaults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, SerializeAsAny

from skill_plugin.kinds.registry import kind_named
from skill_plugin.spec.columns import Column, Field
from skill_plugin.spec.kind_keys import KindKeys
from skill_plugin.spec.sizes import TrainRows


@dataclass(frozen=True)
class MixPart:
    """One language's part of the rows of a mix.

    Attributes:
        mix: the name of the mix's section.
        number: the number of the part, from 0.
        parts: how many parts the mix has.
        seed: the seed of the shuffle, which all parts share.
    """

    mix: str
    number: int
    parts: int
    seed: int


class RawFiles(BaseModel):
    """One raw file, or the parallel files of the format ``lines``, as paths from the working folder.

    Attributes:
        path: the file; None in the format ``lines``.
        paths: the file of each column, in the format ``lines``.
        articles: the articles of a SQuAD file that are read, as ``first:last``; None for all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path | None = None
    paths: dict[str, Path] = {}
    articles: str | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The file, or all of parallel ones."""
        return tuple(self.paths.values()) if self.path is None else (self.path,)

    @property
    def file(self) -> Path:
        """The file, where there is one."""
        (file,) = self.files
        return file

    def file_of(self, column: Column) -> Path:
        """The file that holds the column; the first one where none is known to."""
        return self.paths.get(str(column), self.files[0])


class Cut(BaseModel):
    """How splits are made of the rows of train.

    Attributes:
        sizes: the sizes of the splits that are made: a number of rows, or a share of them.
        seed: decides which rows a split gets.
        line: the line of the key in the corpora file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: dict[str, int | float]
    seed: int
    line: int


class Source(BaseModel):
    """Where the rows of one split come from.

    Attributes:
        inputs: the files, which are read one after the other.
        part: the part of a mix whose rows are read; None if the corpus is not of a mix.
        cut: how the rows are divided into splits, if they are; None if all rows are of this split.
        line: the line of the split in the corpora file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    inputs: tuple[RawFiles, ...]
    part: MixPart | None = None
    cut: Cut | None = None
    line: int

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of all inputs."""
        return tuple(path for one in self.inputs for path in one.files)


class StartingPoint(BaseModel):
    """What a new corpus's gate, head or task embedding starts from.

    Attributes:
        corpora: names of corpora of a trained checkpoint. It starts from theirs, or from the mean if there are several.
            None: a task embedding is drawn as by Glorot and Bengio.
        line: the line of the key in the corpora file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    corpora: tuple[str, ...]
    line: int


class Corpus(BaseModel):
    """One data set in one language with one label space: the keys of ``CorpusSection``, where their meaning stands.

    What follows from other keys or from the kind is filled in. None is left where only the data or the command can say:
    ``labels``, ``label_smoothing``, ``max_length``; of ``gate_from`` and the like it means random. An empty
    ``separator`` is a tab, or spaces where a line has no tab.

    Attributes:
        shares: the YAML's ``as``.
        columns: meaning -> its column or columns in the file; the meaning itself for ``lines``, and for what ``squad``
            and the comments of ``conll`` give.
        sources: train, valid, test, as far as given.
        train_rows: the part of train that is trained on; None for all of it.
        own: the values of the keys that its kind brings itself.
        file: the corpora file, for messages.
        line: line of the corpus in it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: str
    language: str
    skills: tuple[str, ...]
    labels: tuple[str, ...] | None
    metric: str
    head: str
    gate_from: StartingPoint | None = None
    head_from: StartingPoint | None = None
    embedding_from: StartingPoint | None = None
    positive_label: str | None = None
    in_average: bool = True
    label_map: dict[str, str] = {}
    drop_labels: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()
    class_weights: Literal["balanced"] | dict[str, float] | None = None
    label_smoothing: float | None = None
    prefix: str = ""
    text_names: dict[str, str] = {}
    targets: dict[str, str] = {}
    join: Literal["space", "none"] = "space"
    pattern: str | None = None
    own: SerializeAsAny[KindKeys] = KindKeys()
    max_length: int | None = None
    truncate: Literal["longest", "right"] = "longest"
    stride: int | None = None
    shares: str | None = None
    format: str
    header: bool = True
    quoting: Literal["none", "csv"] = "none"
    separator: str = "\t"
    quote: str = '"'
    escape: str | None = None
    extra_cells: Literal["error", "drop"] = "error"
    missing_cells: Literal["error", "empty"] = "error"
    encoding: str = "utf-8"
    max_cells: int | None = None
    sheet: str | None = None
    rows: str | None = None
    each: str | None = None
    where: dict[Column, tuple[str, ...]] = {}
    on_bad_row: Literal["error", "skip"] = "error"
    columns: dict[str, Field]
    sources: dict[str, Source]
    train_rows: TrainRows | None = None
    file: Path
    line: int

    def option(self, key: str) -> Any:
        """The value of an option of its kind (``Kind.all_options``)."""
        return getattr(self.own if key in type(self.own).model_fields else self, key)

    @property
    def head_options(self) -> dict[str, Any]:
        """What its head's outputs mean, as far as options of its kind say it (``Kind.head_options``)."""
        options = {key: self.option(key) for key in kind_named(self.kind).head_options}
        return {key: value for key, value in options.items() if value is not None}

    @property
    def part(self) -> MixPart | None:
        """Its part of a mix, if it is of one."""
        return self.sources["train"].part if "train" in self.sources else None

    @property
    def starts(self) -> bool:
        """Whether its gate, head or task embedding starts from another's."""
        return any(start is not None for start in (self.gate_from, self.head_from, self.embedding_from))

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Meanings of the text columns in the encoder's order, e.g. ``("text_a", "text_b")``."""
        order = sorted(name for name in kind_named(self.kind).columns if name.startswith("text_"))
        return tuple(name for name in order if name in self.columns)
