"""One corpus as the rest of the program sees it: everything inherited and every default filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from skill_plugin.spec.kinds import KINDS

SPLITS = ("train", "valid", "test")
Split = Literal["train", "valid", "test"]


class Source(BaseModel):
    """Where the rows of one split come from, relative paths already joined to the corpora file's folder.

    Attributes:
        path: the file, for every format but ``lines``.
        paths: file by column, for the format ``lines``.
        articles: which articles of a SQuAD file, as ``first:last``.
        line: line of the split in the corpora file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path | None = None
    paths: dict[str, Path] = {}
    articles: str | None = None
    line: int

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(self.paths.values()) if self.path is None else (self.path,)

    def file_of(self, column: str | int) -> Path:
        """The file that holds the column."""
        return self.paths[str(column)] if self.path is None else self.path


class Corpus(BaseModel):
    """One data set in one language with one label space (the corpora file's words, see DESIGN 2.2).

    Attributes:
        labels: names in the order of their ids, or None: read from train, sorted.
        head: corpora with the same head share it; by default the corpus's own name, with ``as`` the other's head.
        positive_label: the class whose F1 is meant by the metric ``f1``.
        label_map: label in the file -> label.
        drop_labels: rows with such a label, as in the file or as mapped, are left out and counted.
        score_range: lowest and highest score of a regression.
        max_length: tokens with special tokens; None = the command's.
        truncate: ``longest`` cuts the longest text first, ``right`` the end.
        stride: tokens between two windows of a long input.
        shares: the YAML's ``as``: the corpus whose head, gate and embedding this one uses.
        header: the first row names the columns (tsv, csv).
        quoting: ``csv`` = cells may be wrapped in ``quote``, doubled inside; ``none`` = quotes are text (tsv, csv).
        separator: what stands between two cells (tsv, csv).
        rows: where the rows are inside a JSON document, as ``data.items`` (json).
        where: only rows whose column has one of the values are of this corpus; the others are counted.
        on_bad_row: ``error`` = a broken row is a fault, ``skip`` = it is left out and counted.
        columns: meaning -> name of the column in the file, or its number from 0; for ``lines`` the meaning itself.
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
    positive_label: str | None = None
    label_map: dict[str, str] = {}
    drop_labels: tuple[str, ...] = ()
    score_range: tuple[float, float] | None = None
    max_length: int | None = None
    truncate: Literal["longest", "right"] = "longest"
    stride: int | None = None
    shares: str | None = None
    format: str
    header: bool = True
    quoting: Literal["none", "csv"] = "none"
    separator: str = "\t"
    quote: str = '"'
    encoding: str = "utf-8"
    rows: str | None = None
    where: dict[str | int, tuple[str, ...]] = {}
    on_bad_row: Literal["error", "skip"] = "error"
    columns: dict[str, str | int]
    sources: dict[Split, Source]
    file: Path
    line: int

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Meanings of the text columns in the encoder's order, e.g. ``("text_a", "text_b")``."""
        order = sorted(name for name in KINDS[self.kind].columns if name.startswith("text"))
        return tuple(name for name in order if name in self.columns)
