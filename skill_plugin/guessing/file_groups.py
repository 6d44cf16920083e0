"""Files that are splits of one corpus."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.file_names import FileName
from skill_plugin.guessing.layout import Layout
from skill_plugin.options.splits import SPLITS, SplitName
from skill_plugin.readers.packed import is_packed


@dataclass(eq=False)
class DataFile:
    """A raw file, or parallel ones, with what is known of it.

    Attributes:
        name: what its name says.
        layout: how it is written.
        parallel: the file of each column, of parallel files.
    """

    name: FileName
    layout: Layout
    parallel: dict[str, Path] = field(default_factory=dict)

    @property
    def columns(self) -> list[Column]:
        return self.layout.columns

    @property
    def paths(self) -> list[Path]:
        """The file, or all of parallel ones."""
        return [*self.parallel.values()] or [self.name.path]


@dataclass(eq=False)
class FileGroup:
    """The files of one corpus.

    Attributes:
        folder, key: as in ``FileName``.
        splits: the files of each split.
        unsaid: files whose names say no split.
        why: split -> why it is that, where not by its name alone.
        odd: split -> files that belong to it by their names, but are written otherwise.
        copies: files whose names differ only in how they are packed from those of others.
    """

    folder: tuple[str, ...]
    key: tuple[str, ...]
    splits: dict[SplitName, list[DataFile]] = field(default_factory=dict)
    unsaid: list[DataFile] = field(default_factory=list)
    why: dict[SplitName, str] = field(default_factory=dict)
    odd: dict[SplitName, list[DataFile]] = field(default_factory=dict)
    copies: list[DataFile] = field(default_factory=list)

    @property
    def main(self) -> DataFile:
        """The file by which the kind is guessed: the first of train, else of what comes next."""
        return next(files[0] for _, files in sorted(self.splits.items(), key=lambda one: SPLITS.index(one[0])) if files)


def group_files(files: Iterable[DataFile]) -> list[FileGroup]:
    """Groups files by folder and name; each group has a split.

    In a folder with one train file, splits whose names have other words belong to it if they are written alike. A file
    whose name says no split is train, unless it lacks a column that the train file has: then it is test.
    """
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], FileGroup] = {}
    for file in _joined(files):
        key = file.name.key if file.parallel or not file.name.role else (*file.name.key, file.name.role)
        place = (file.name.folder, tuple(word.lower() for word in key))
        group = groups.setdefault(place, FileGroup(file.name.folder, key))
        files_of = group.unsaid if file.name.split is None else group.splits.setdefault(file.name.split, [])
        packed = any(_unpacked_name(one.name.path) == _unpacked_name(file.name.path) for one in files_of)
        (group.copies if packed else files_of).append(file)
    found: list[FileGroup] = []
    for folder in dict.fromkeys(group.folder for group in groups.values()):
        found += _settle([group for group in groups.values() if group.folder == folder])
    for group in found:
        _part_odd_files(group)
    return found


def _joined(files: Iterable[DataFile]) -> list[DataFile]:
    """Parallel files as one: with as many lines, and names that say which column each is."""
    found: list[DataFile] = []
    lined: dict[tuple[object, ...], list[DataFile]] = {}
    for file in files:
        name = file.name
        if file.layout.format == "lines" and name.role:
            lined.setdefault((name.folder, name.key, name.split, file.layout.lines), []).append(file)
        else:
            found.append(file)
    for together in lined.values():
        roles = {file.name.role: file for file in together}
        if len(roles) < 2 or len(roles) < len(together):
            found += together
            continue
        first = together[0]
        columns = [Column(role, file.columns[0].values) for role, file in roles.items()]
        why = f"{len(roles)} parallel files of {first.layout.lines} lines"
        layout = Layout("lines", why, columns, dict(first.layout.keys), lines=first.layout.lines)
        found.append(DataFile(first.name, layout, {role: file.name.path for role, file in roles.items()}))
    return found


def _settle(groups: list[FileGroup]) -> list[FileGroup]:
    """The groups of one folder, after files without a word for their split, or with other words, have found theirs."""
    trained = [group for group in groups if "train" in group.splits]
    if len(trained) == 1:
        for group in groups:
            if group is not trained[0]:
                _attach(trained[0], group)
    elif not trained:
        _attach_train(groups)
    for group in groups:
        if group.unsaid and "train" not in group.splits:  # with a train file beside them, they are left unsaid
            group.splits["train"], group.unsaid = group.unsaid, []
            group.why["train"] = "no word of its name says a split"
    return [group for group in groups if group.splits or group.unsaid]


def _attach_train(groups: list[FileGroup]) -> None:
    """Gives the one group that has splits, but no train file, the one file of a folder that says no split."""
    said = [group for group in groups if group.splits]
    unsaid = [group for group in groups if not group.splits and group.unsaid]
    if len(said) != 1 or len(unsaid) != 1 or len(unsaid[0].unsaid) != 1:
        return
    if _fits(said[0].main, unsaid[0].unsaid[0]):
        file = unsaid[0].unsaid.pop()
        said[0].splits["train"] = [file]
        said[0].why["train"] = f"{file.name.path.name} is the one file beside it, and is written alike"


def _attach(group: FileGroup, other: FileGroup) -> None:
    """Gives a group the splits that it lacks of another one in its folder, whose files are written alike."""
    main = group.main
    for split, files in [*other.splits.items()]:
        if split not in group.splits and len(files) == 1 and _fits(main, files[0]):
            group.splits[split] = other.splits.pop(split)
            group.why[split] = f"the only train file beside it is {main.name.path.name}, which is written alike"
    if len(other.unsaid) == 1 and "test" not in group.splits and _lacks_a_column(main, other.unsaid[0]):
        group.splits["test"] = [other.unsaid.pop()]
        group.why["test"] = f"it lacks a column that {main.name.path.name} has"


def _fits(main: DataFile, other: DataFile) -> bool:
    """Whether a file can be another split of the corpus."""
    if not main.layout.is_like(other.layout) or set(main.parallel) != set(other.parallel):
        return False
    mine, theirs = _names(main), _names(other)
    if main.layout.known or all(isinstance(name, int) for name in mine):
        return abs(len(mine) - len(theirs)) <= 1
    return len(mine & theirs) >= 0.5 * len(mine)


def _lacks_a_column(main: DataFile, other: DataFile) -> bool:
    mine, theirs = _names(main), _names(other)
    return main.layout.is_like(other.layout) and theirs < mine and len(theirs) >= 0.5 * len(mine) and not main.parallel


def _names(file: DataFile) -> set[object]:
    return {column.reference for column in file.columns}


def _part_odd_files(group: FileGroup) -> None:
    """Puts files aside that are no split of the group's main file, though their names say so."""
    main = group.main if group.splits else None
    for split, files in [*group.splits.items()]:
        odd = [file for file in files if main is not None and file is not main and not _fits(main, file)]
        if odd:
            group.odd[split] = odd
            group.splits[split] = [file for file in files if file not in odd]
            if not group.splits[split]:
                del group.splits[split]


def _unpacked_name(path: Path) -> Path:
    """The file without what its name says of packing."""
    return path.with_suffix("") if is_packed(path) else path
