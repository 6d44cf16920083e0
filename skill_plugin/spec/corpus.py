"""One corpus as the rest of the program sees it: everything inherited and every default filled in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from skill_plugin.kinds.registry import kind_named
from skill_plugin.spec.columns import Column, Field

SPLITS = ("train", "valid", "test")
Split = Literal["train", "valid", "test"]


@dataclass(frozen=True)
class MixPart:
    """One language's part of the rows of a mix.

    Attributes:
        mix: name of the section.
        number: of the part, from 0.
        parts: of the mix.
        seed: of the shuffle that all parts share.
    """

    mix: str
    number: int
    parts: int
    seed: int


class RawInput(BaseModel):
    """One raw file, or the parallel files of the format ``lines``, as paths from the working folder.

    Attributes:
        path: the file, for every format but ``lines``.
        paths: file by column, for the format ``lines``.
        articles: which articles of a SQuAD file, as ``first:last``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path | None = None
    paths: dict[str, Path] = {}
    articles: str | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(self.paths.values()) if self.path is None else (self.path,)

    def file_of(self, column: Column) -> Path:
        """The file that holds the column; the first one where none is known to."""
        return self.paths.get(str(column), self.files[0])


class Cut(BaseModel):
    """How splits are made of the rows of train.

    Attributes:
        sizes: of valid and test, as far as they are made: a number of rows, or a share of them.
        seed: of which rows they get.
        line: in the corpora file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: dict[Split, int | float]
    seed: int
    line: int


class Source(BaseModel):
    """Where the rows of one split come from.

    Attributes:
        inputs: read one after the other.
        part: which rows of a mix; None = all.
        cut: the rows of the files are divided so, and some are of this split; None = all.
        line: line of the split in the corpora file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    inputs: tuple[RawInput, ...]
    part: MixPart | None = None
    cut: Cut | None = None
    line: int

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(path for one in self.inputs for path in one.files)


class Start(BaseModel):
    """What a new corpus's gate, head or task embedding starts from.

    Attributes:
        corpora: names of corpora of a trained checkpoint, whose own it starts from; the mean of several.
        line: line in the corpora file.
        xavier: there are no such corpora, but a task embedding is drawn as Glorot and Bengio do.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    corpora: tuple[str, ...]
    line: int
    xavier: bool = False


class Corpus(BaseModel):
    """One data set in one language with one label space (the corpora file's words, see DESIGN 2.2).

    Attributes:
        labels: names in the order of their ids, or None: read from train, sorted (tags: O first). Kinds whose answers
            are no names have none.
        head: corpora with the same head share it; by default the corpus's own name, with ``as`` the other's head.
        gate_from, head_from, embedding_from: what its gate, head and task embedding start from where --init-from names
            a checkpoint without them; None = random.
        positive_label: the class whose F1 is meant by the metric ``f1`` (classification, word_in_context).
        in_average: whether the corpus counts in ``avg``.
        label_map: label in the file -> label.
        placeholders: what stands in place of an answer in rows without one.
        drop_labels: rows with such a label, as in the file or as mapped, are left out and counted.
        score_range: lowest and highest score of a regression; None = those of train.
        score_scale: ``normalised`` = a regression learns scores brought to [-1, 1], ``raw`` = as they are.
        scheme: how tags are made of entities, one of ``SCHEMES``; None = to be read off the tags (labelling).
        lenient: whether I- without B- begins an entity; otherwise it belongs to none (labelling).
        join: what stands between two words of a text that is made of words.
        label_separator: between the labels in one cell (multilabel).
        word_separator: between the words, and the tags, in one cell (labelling).
        pattern: regular expression that matches what stands for a token, whose group is the token (labelling, conll).
        offsets: what start_a, end_a … count (word_in_context). Ends are exclusive.
        loss: ``pointwise`` = each candidate on its own, ``listwise`` = softmax over a query's, ``graded`` = each
            candidate has one of some grades, its relevance (ranking).
        grades: how many, from 0, with ``loss: graded``; None = as many as the data have.
        ranked_by: what candidates are ordered by, as its loss allows; None where that leaves no choice.
        without_positive: whether a query without a relevant candidate is ``left_out`` of the metrics of the order, or
            counts ``zero`` (ranking).
        max_question: tokens that a question keeps (span).
        max_answer: tokens of the longest answer that is predicted (span).
        no_answer_threshold: how much better than the best span no answer may be before a span is preferred (span).
        max_length: tokens with special tokens; None = the command's.
        truncate: ``longest`` cuts the longest text first, ``right`` the end.
        stride: tokens from one window of a long input to the next.
        shares: the YAML's ``as``: the corpus whose head, gate and embedding this one uses.
        header: the first row names the columns (tsv, csv).
        quoting: ``csv`` = cells may be wrapped in ``quote``, doubled inside; ``none`` = quotes are text (tsv, csv).
        separator: what stands between two cells (tsv, csv, conll). Empty = a tab, or spaces where a line has no tab.
        escape: a quote inside quotes, or this character, is text behind it; None = no character is that (tsv, csv).
        extra_cells: ``drop`` = cells of a row beyond the header's, or without one beyond those used, are left out;
            ``error`` = a fault (tsv, csv).
        missing_cells: ``empty`` = cells that a row lacks at its end are empty; ``error`` = a fault (tsv, csv).
        rows: where the rows are inside a JSON document, as ``data.items`` (json).
        each: each element of the list there is a row, as ``passage.questions`` (json, jsonl).
        where: only rows whose column has one of the values are of this corpus; the others are counted.
        on_bad_row: ``error`` = a broken row is a fault, ``skip`` = it is left out and counted.
        max_cells: into how many cells a row is split, at the first separators; None = at all (tsv, csv, conll).
        columns: meaning -> its column or columns in the file; the meaning itself for ``lines``, and for what ``squad``
            and the comments of ``conll`` give.
        sources: train, valid, test, as far as given.
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
    gate_from: Start | None = None
    head_from: Start | None = None
    embedding_from: Start | None = None
    positive_label: str | None = None
    in_average: bool = True
    label_map: dict[str, str] = {}
    drop_labels: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()
    score_range: tuple[float, float] | None = None
    score_scale: Literal["normalised", "raw"] = "normalised"
    scheme: str | None = None
    lenient: bool = False
    join: Literal["space", "none"] = "space"
    label_separator: str = ","
    word_separator: str = " "
    pattern: str | None = None
    offsets: Literal["characters", "words"] = "characters"
    loss: Literal["pointwise", "listwise", "graded"] = "pointwise"
    grades: int | None = None
    ranked_by: Literal["probability", "logit", "expected", "likeliest"] | None = None
    without_positive: Literal["left_out", "zero"] = "left_out"
    max_question: int = 64
    max_answer: int = 30
    no_answer_threshold: float = 0.0
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
    rows: str | None = None
    each: str | None = None
    where: dict[Column, tuple[str, ...]] = {}
    on_bad_row: Literal["error", "skip"] = "error"
    columns: dict[str, Field]
    sources: dict[Split, Source]
    file: Path
    line: int

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
