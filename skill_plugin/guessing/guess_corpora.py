"""The corpora of a folder: its files, grouped, each group with its kind, columns, language and splits."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from skill_plugin.errors import reason_of
from skill_plugin.guessing.choose_kind import choose_kind
from skill_plugin.guessing.column import Column
from skill_plugin.guessing.corpus_guess import TODO, CorpusGuess, Guessed, LeftOut
from skill_plugin.guessing.file_groups import DataFile, FileGroup, group_files
from skill_plugin.guessing.file_names import SPLIT_WORDS, corpus_name, read_name
from skill_plugin.guessing.find_files import find_files
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.language import guess_language
from skill_plugin.guessing.layout import Layout, find_layout
from skill_plugin.guessing.odd_rows import odd_rows
from skill_plugin.guessing.sample import Sample
from skill_plugin.kinds.kind import Kind
from skill_plugin.spec.corpus import SPLITS, SplitName
from skill_plugin.spec.languages import is_language, primary_language

_FEWEST_TO_DIVIDE = 20  # rows of train, of which a part becomes valid
_PART = "10%"


def guess_corpora(folder: Path, written: Path, advance: Callable[[str], None] = lambda name: None) -> Guessed:
    """Guesses all that the files below a folder hold.

    Args:
        folder: with raw files.
        written: the corpora file that will be written; paths in it count from its folder.
        advance: is told the name of each file that was looked at.
    """
    found, files = Guessed(), []
    for path in find_files(folder):
        if path.resolve() == written.resolve():
            continue
        try:
            layout = find_layout(path)
        except OSError as error:
            layout = reason_of(error)
        if isinstance(layout, Layout):
            files.append(DataFile(read_name(path, folder), layout))
        else:
            found.left_out.append(LeftOut(path, layout))
        advance(path.name)
    groups = group_files(files)
    names: set[str] = set()
    for group in groups:
        alone = sum(other.folder == group.folder for other in groups) == 1
        name = corpus_name(group.folder, group.key, alone, folder.resolve().name)
        _Guesser(found, group, _unused(name, names), written.parent, names).guess()
    return found


def _unused(name: str, names: set[str]) -> str:
    """The name, or with a number where a corpus has it already."""
    wanted, number = name, 2
    while wanted in names:
        wanted, number = f"{name}-{number}", number + 1
    names.add(wanted)
    return wanted


class _Guesser:
    """Guesses the corpora of one group of files: mostly one, and one for each language of a column of languages."""

    def __init__(self, found: Guessed, group: FileGroup, name: str, base: Path, names: set[str]) -> None:
        self.found, self.group, self.name, self.base, self.names = found, group, name, base, names
        self.file = group.main
        self.layout = self.file.layout
        self.sample = Sample(
            self.layout.format, self.layout.columns, self.layout.running, self.layout.commented, self.layout.known
        )

    def guess(self) -> None:
        chosen = choose_kind(self.sample)
        if chosen is None:
            self.leave_out()
            return
        kind, guess = chosen
        divided = self.split_column()
        languages = self.language_column(guess)
        if languages is None:
            self.add(self.name, kind, guess, {}, self.language_of(guess), divided)
        else:
            for code in languages.counts:
                where = {languages.reference: code}
                language = (primary_language(code), f"the column {languages.reference!r} says so")
                self.add(_unused(f"{self.name}-{code}", self.names), kind, guess, where, language, divided)
        for file in self.group.unsaid:
            why = "its name says no split, and other files beside it do"
            self.found.left_out.append(LeftOut(file.name.path, why))

    def leave_out(self) -> None:
        names = ", ".join(repr(column.reference) for column in self.sample.columns[:12])
        why = f"no kind is like its columns: {names or 'none'} ({self.layout.format}: {self.layout.why})"
        for files in (*self.group.splits.values(), self.group.unsaid, *self.group.odd.values()):
            self.found.left_out.extend(LeftOut(file.name.path, why) for file in files)

    def add(
        self, name: str, kind: Kind, guess: KindGuess, where: dict[Any, str], language: tuple[str | None, str],
        divided: Column | None,
    ) -> None:  # fmt: skip
        corpus = CorpusGuess(name, doubts=list(guess.doubts))
        keys = corpus.keys
        keys["kind"] = (kind.name, guess.why)
        keys["language"] = language if language[0] is not None else (TODO, language[1])
        if language[0] is None:
            corpus.open.append(f"language: {language[1]}")
        keys["skills"] = (["generic", *guess.skills], "")
        keys |= guess.options
        keys["format"] = (self.layout.format, self.layout.why)
        keys |= self.layout.keys
        keys |= odd_rows(self.layout, guess.columns)
        if where:
            keys["where"] = (where, "the rows of this language")
        if guess.each is not None:
            keys["each"] = (guess.each, "every element of this list is a row")
        if guess.columns and self.layout.format not in ("lines", "squad"):
            notes = [f"{meaning}: {note}" for meaning, note in guess.notes.items() if note]
            keys["columns"] = (guess.columns, "; ".join(notes))
        self.class_names(keys, kind, guess)
        self.found.corpora.append(corpus)
        if divided is not None:
            self.add_divided(corpus, guess, divided)
            return
        for split in SPLITS:
            if split in self.group.splits:
                keys[split] = (self.source(self.group.splits[split], guess), self.group.why.get(split, ""))
        self.add_valid(keys)
        self.add_odd(corpus, guess)

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
        return os.path.relpath(path.resolve(), self.base.resolve())

    def add_valid(self, keys: dict[str, tuple[Any, str]]) -> None:
        """Makes valid of a part of train where there is none."""
        if ("train" in keys and "valid" not in keys and self.sample.rows >= _FEWEST_TO_DIVIDE) or (
            self.layout.known and "train" in keys and "valid" not in keys
        ):
            keys["split"] = ({"valid": _PART}, "there is no file for valid, which is made of a part of train")

    def add_odd(self, corpus: CorpusGuess, guess: KindGuess) -> None:
        """Splits with other columns: a corpus of their own that shares the head, where their texts are as many."""
        texts = [meaning for meaning in guess.columns if meaning.startswith("text_")]
        for split, files in self.group.odd.items():
            for file in files:
                found = [column for column in file.columns if column.is_text]
                if not texts or len(found) != len(texts) or split == "train" or file.layout.format == "lines":
                    why = f"its name says {split} of {corpus.name}, but it has other columns or another form"
                    self.found.left_out.append(LeftOut(file.name.path, why))
                    continue
                other = CorpusGuess(_unused(f"{corpus.name}-{split}", self.names))
                other.doubts.append(f"{file.name.path.name} has other columns than {self.file.name.path.name}")
                other.keys["as"] = (corpus.name, f"its name says {split} of it")
                other.keys["language"] = corpus.keys["language"]
                other.keys["format"] = (file.layout.format, file.layout.why)
                other.keys["header"] = (file.layout.keys.get("header", (True, ""))[0], "as it is here")
                other.keys |= file.layout.keys
                columns = {meaning: one.reference for meaning, one in zip(texts, found, strict=True)}
                other.keys["columns"] = (columns, "texts of several words that differ")
                label = next((c for c in file.columns if c.reference == guess.columns.get("label")), None)
                test: SplitName = "test"
                if label is not None:
                    columns["label"] = label.reference
                    test = split
                other.keys[test] = (self.path(file.name.path), "" if test == split else "it has no label")
                self.found.corpora.append(other)

    def class_names(self, keys: dict[str, tuple[Any, str]], kind: Kind, guess: KindGuess) -> None:
        """Names of classes that the file keeps beside their numbers."""
        if not kind.has_labels:
            return
        used = {str(value) for value in guess.columns.values() if isinstance(value, str | int)}
        for column in self.sample.columns:
            if str(column.reference) in used and column.classes:
                numbered = {str(number): name for number, name in enumerate(column.classes)}
                keys["labels"] = (list(column.classes), "as the file names its classes")
                keys["label_map"] = (numbered, "numbers of the file")

    # the language

    def language_column(self, guess: KindGuess) -> Column | None:
        """A column that says the language of each row, if rows are of several."""
        used = [str(value) for value in guess.columns.values()]
        for column in self.sample.columns:
            codes = set(column.counts)
            if (
                column.is_called("language", "lang", "locale")
                and 1 < len(codes) <= 30
                and str(column.reference) not in used
                and all(is_language(code) and re.fullmatch("[A-Za-z-]{2,8}", code) for code in codes)
            ):
                return column
        return None

    def language_of(self, guess: KindGuess) -> tuple[str | None, str]:
        names = [*self.group.folder, *self.group.key]
        found = guess_language(self.texts(guess), names)
        return found.code, found.why

    def texts(self, guess: KindGuess) -> Iterator[str]:
        """The texts of some rows."""
        if self.layout.known:
            from skill_plugin.guessing.squad_texts import squad_texts

            yield from squad_texts(self.file.name.path, self.layout)
            return
        answers = ("label", "tag", "score", "entities", "candidate_label", "choices")
        used = [str(value) for meaning, value in guess.columns.items() if meaning not in answers]
        columns = [column for column in self.sample.columns if str(column.reference) in used]
        columns = columns or [column for column in self.sample.columns if column.is_text or self.layout.running]
        if guess.each is not None or not columns:
            columns = [*columns, *(column for column in self.sample.columns if column.is_text)]
        if self.layout.running and not guess.columns:
            columns = [column for column in columns if column.reference == "FORM"] or columns[:1]
        for number in range(self.sample.rows):
            for column in columns:
                yield from _strings(column.values[number] if number < len(column.values) else None, self.layout.running)

    # a column that says the split

    def split_column(self) -> Column | None:
        """A column that says of which split a row is."""
        for column in self.sample.columns:
            values = {value.lower() for value in column.counts}
            if 1 < len(values) <= len(SPLITS) and values <= set(SPLIT_WORDS) and len(self.group.splits) == 1:
                return column
        return None

    def add_divided(self, corpus: CorpusGuess, guess: KindGuess, column: Column) -> None:
        """A corpus for each split, since ``where`` is said of a whole one; they share the head."""
        path = self.source(self.group.splits[next(iter(self.group.splits))], guess)
        words = {SPLIT_WORDS[value.lower()]: value for value in column.counts}
        own = next(split for split in SPLITS if split in words)
        said = dict(corpus.keys["where"][0]) if "where" in corpus.keys else {}
        for split in SPLITS:
            if split not in words:
                continue
            where = ({**said, column.reference: words[split]}, f"the rows whose {column.reference!r} says so")
            if split == own:
                corpus.keys["where"] = where
                corpus.keys[split] = (path, "")
                continue
            other = CorpusGuess(_unused(f"{corpus.name}-{split}", self.names))
            other.keys["as"] = (corpus.name, "the same file; rows of another split")
            other.keys["language"] = corpus.keys["language"]
            other.keys["where"] = where
            other.keys[split] = (path, "")
            self.found.corpora.append(other)
            other.open += corpus.open


def _strings(value: Any, running: bool) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        words = [item for item in value if isinstance(item, str)]
        if words:
            yield ("" if running and all(len(word) == 1 for word in words) else " ").join(words)
        for item in value:
            if isinstance(item, list | dict):
                yield from _strings(list(item.values()) if isinstance(item, dict) else item, running)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner, running)
