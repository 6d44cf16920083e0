"""The corpora of one group of files: mostly one, and one for each language or split that a column says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from skill_plugin.guessing.choose_kind import choose_kind
from skill_plugin.guessing.corpus_guess import TODO, CorpusGuess, Guessed, LeftOut
from skill_plugin.guessing.corpus_language import language_column, language_of
from skill_plugin.guessing.file_groups import DataFile, FileGroup
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.odd_rows import odd_rows
from skill_plugin.guessing.odd_splits import odd_corpus
from skill_plugin.guessing.sample import Sample
from skill_plugin.guessing.split_column import divide_by_column, split_column
from skill_plugin.guessing.unused_names import UnusedNames
from skill_plugin.kinds.kind import Kind
from skill_plugin.options.splits import SPLITS
from skill_plugin.spec.languages import primary_language

_FEWEST_TO_DIVIDE = 20  # rows of train, of which a part becomes valid
_PART = "10%"


class GroupGuesser:
    """Makes sections of the corpora file for a group of files.

    Args:
        base: the folder from which paths count.
        names: of corpora.
    """

    def __init__(self, group: FileGroup, base: Path, names: UnusedNames) -> None:
        self.group, self.base, self.names = group, base, names
        self.file = group.main
        self.layout = self.file.layout
        self.sample = Sample(
            self.layout.format, self.layout.columns, self.layout.running, self.layout.commented, self.layout.known
        )

    def guess(self, name: str, found: Guessed) -> None:
        """Adds the corpora of the group, and its files that none of them uses.

        Args:
            name: of the corpus, where it is one.
        """
        chosen = choose_kind(self.sample)
        if chosen is None:
            found.left_out += self.leave_out()
            return
        kind, guess = chosen
        languages = language_column(self.sample, guess.columns)
        if languages is None:
            sections = [self.section(name, kind, guess, language_of(self.group, self.sample, guess))]
        else:
            sections = []
            for code in languages.counts:
                language = (primary_language(code), f"the column {languages.reference!r} says so")
                section = self.section(self.names.take(f"{name}-{code}"), kind, guess, language)
                section.keys["where"] = ({languages.reference: code}, "the rows of this language")
                sections.append(section)
        for section in sections:
            found.corpora += self.with_splits(section, guess, found)
        for files, why in (
            (self.group.unsaid, "its name says no split, and other files beside it do"),
            (self.group.copies, "its name differs only in how it is packed from that of a file beside it"),
        ):
            found.left_out += [LeftOut(file.name.path, why) for file in files]

    def leave_out(self) -> list[LeftOut]:
        names = ", ".join(repr(column.reference) for column in self.sample.columns[:12])
        why = f"no kind is like its columns: {names or 'none'} ({self.layout.format}: {self.layout.why})"
        every = (*self.group.splits.values(), self.group.unsaid, self.group.copies, *self.group.odd.values())
        return [LeftOut(path, why) for files in every for file in files for path in file.paths]

    def section(self, name: str, kind: Kind, guess: KindGuess, language: tuple[str | None, str]) -> CorpusGuess:
        """All but the splits."""
        corpus = CorpusGuess(name, doubts=list(guess.doubts))
        keys = corpus.keys
        keys["kind"] = (kind.name, guess.why)
        keys["language"] = (language[0] or TODO, language[1])
        if language[0] is None:
            corpus.open.append(f"language: {language[1]}")
        keys["skills"] = (["generic", *guess.skills], "")
        keys |= guess.options
        keys["format"] = (self.layout.format, self.layout.why)
        keys |= self.layout.keys
        keys |= odd_rows(self.layout, guess.columns)
        if guess.each is not None:
            keys["each"] = (guess.each, "every element of this list is a row")
        if guess.columns and self.layout.format not in ("lines", "squad"):
            notes = [f"{meaning}: {note}" for meaning, note in guess.notes.items() if note]
            keys["columns"] = (guess.columns, "; ".join(notes))
        if kind.has_labels:
            keys |= self.class_names(guess)
        return corpus

    def class_names(self, guess: KindGuess) -> dict[str, tuple[Any, str]]:
        """Names of classes that the file keeps beside their numbers."""
        for column in self.sample.columns:
            if column.classes and column.reference in guess.columns.values():
                numbered = {str(number): name for number, name in enumerate(column.classes)}
                return {
                    "labels": (list(column.classes), "as the file names its classes"),
                    "label_map": (numbered, "numbers of the file"),
                }
        return {}

    def with_splits(self, corpus: CorpusGuess, guess: KindGuess, found: Guessed) -> list[CorpusGuess]:
        """The corpus with its splits, and what it needs beside it for files or rows that do not fit into it."""
        keys, splits = corpus.keys, self.group.splits
        divided = split_column(self.sample)
        if divided is not None and len(splits) == 1:
            (files,) = splits.values()
            return divide_by_column(corpus, divided, self.source(files, guess), self.names)
        for split in SPLITS:
            if split in splits:
                keys[split] = (self.source(splits[split], guess), self.group.why.get(split, ""))
        enough = self.sample.rows >= _FEWEST_TO_DIVIDE or self.layout.known
        if "train" in keys and "valid" not in keys and enough:
            keys["split"] = ({"valid": _PART}, "there is no file for valid, which is made of a part of train")
        beside = []
        for split, files in self.group.odd.items():
            for file in files:
                other = odd_corpus(corpus, guess, split, file, self.path(file.name.path), self.names)
                if other is None:
                    why = f"its name says {split} of {corpus.name}, but it has other columns or another form"
                    found.left_out.append(LeftOut(file.name.path, why))
                else:
                    beside.append(other)
        return [corpus, *beside]

    def source(self, files: list[DataFile], guess: KindGuess) -> Any:
        """What stands beside a split: a path, several, or one for each column of parallel files."""
        sources: list[Any] = []
        for file in files:
            if self.layout.format == "lines":
                paths = file.parallel or {str(self.layout.columns[0].reference): file.name.path}
                used = {meaning: paths[str(column)] for meaning, column in guess.columns.items() if column in paths}
                sources.append({meaning: self.path(path) for meaning, path in used.items()})
            else:
                sources.append(self.path(file.name.path))
        return sources[0] if len(sources) == 1 else sources

    def path(self, path: Path) -> str:
        """As it stands in the corpora file: from the folder of that file."""
        return os.path.relpath(path.resolve(), self.base.resolve())
