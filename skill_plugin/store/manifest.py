"""Manifests that ``prepare`` writes beside the binarised data: one of the folder, and one of each corpus.

A manifest holds the sha256 of the files beside it and of itself. Manifests of version 2 have no checksums.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import json_text, read_json, write_json
from skill_plugin.options.splits import SPLITS
from skill_plugin.spec.labels import find_label_problem
from skill_plugin.spec.names import check_name
from skill_plugin.store.checksums import content_checksum, verify_files

VERSION = 3
WITHOUT_CHECKSUMS = 2
FILE = "manifest.json"
EXACT = ConfigDict(extra="forbid")

logger = logging.getLogger(__name__)
_Manifest = TypeVar("_Manifest", "CorpusManifest", "FolderManifest")


@dataclass(frozen=True)
class SplitManifest:
    """A split.

    Attributes:
        rows: how many rows are kept.
        skipped: how many rows are left out, by reason.
        sources: sha256 of the raw files, by path.
    """

    rows: int
    skipped: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CorpusManifest:
    """A corpus.

    Attributes:
        kind: the kind of the corpus.
        texts: the number of texts of a row.
        labels: the labels in the order of their ids; None if the kind has none.
        splits: the splits by name.
        facts: see ``RowStorage.facts``.
        files: sha256 of its files, by path in its folder; None if they are not known.
    """

    __pydantic_config__: ClassVar = EXACT

    kind: str
    texts: int
    labels: tuple[str, ...] | None
    splits: Mapping[str, SplitManifest]
    facts: Mapping[str, Any]
    files: Mapping[str, str] | None

    def write(self, folder: Path) -> None:
        _write(folder, self)

    def verify(self, folder: Path, split: str) -> bool:
        """Checks that the files of a split are as they were written.

        Returns:
            True; False, with a warning, if the manifest has no checksums.

        Raises:
            InputError: a file is missing or changed.
        """
        if self.files is None:
            _say_unverified(folder.parent)
            return False
        verify_files(folder, self._files_of(split))
        return True

    def identity(self, split: str) -> str | None:
        """A sha256 that is equal only if the rows and answers of a split are, as ids; None without the split.

        In a folder without checksums it is made of those of the raw files.
        """
        if split not in self.splits:
            return None
        if self.files is None:
            known = sorted(self.splits[split].sources.values())
        else:
            # without the original texts, since each of them is stored with its place in the raw files
            known = [
                f"{name}:{checksum}"
                for name, checksum in sorted(self.files.items())
                if name == "input0/dict.txt" or (Path(name).stem == split and not name.startswith("text/"))
            ]
        content = [self.kind, self.labels, self.splits[split].rows, known]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def _files_of(self, split: str) -> dict[str, str]:
        """The checksums of a split's files, and of files that all splits share."""
        others = [other for other in SPLITS if other != split]
        return {name: checksum for name, checksum in (self.files or {}).items() if Path(name).stem not in others}


@dataclass(frozen=True)
class FolderManifest:
    """A data folder.

    Attributes:
        corpora: the names of its corpora.
        vocabulary: the fingerprint of its vocabulary.
        text_encoder: the fingerprint of its whole text encoder.
        files: sha256 of the text encoder's files, by path; None if they are not known.
    """

    __pydantic_config__: ClassVar = EXACT

    corpora: tuple[str, ...]
    vocabulary: str
    text_encoder: str
    files: Mapping[str, str] | None

    def write(self, folder: Path) -> None:
        _write(folder, self)

    def verify(self, folder: Path) -> None:
        """Checks that the text encoder's files are as they were written.

        Raises:
            InputError: a file is missing or changed.
        """
        if self.files is None:
            _say_unverified(folder)
        else:
            verify_files(folder, self.files)


# made once: it takes longer than to read a manifest
_CORPUS, _FOLDER = TypeAdapter(CorpusManifest), TypeAdapter(FolderManifest)


def read_folder_manifest(folder: Path) -> FolderManifest | None:
    """Reads the manifest of a data folder; None if there is none, as in folders that fairseq-preprocess made.

    Raises:
        InputError: the manifest is damaged or of another version.
    """
    manifest = _read(folder, _FOLDER)
    for name in () if manifest is None else manifest.corpora:
        check_name(name, "corpus", folder / FILE, None)
    return manifest


def read_corpus_manifest(folder: Path) -> CorpusManifest | None:
    """Reads the manifest of a corpus's folder; None if there is none.

    Raises:
        InputError: the manifest is damaged or of another version.
    """
    manifest = _read(folder, _CORPUS)
    for label in () if manifest is None else manifest.labels or ():
        if problem := find_label_problem(label):
            raise InputError(f"has a label that cannot be used: {label!r} {problem}", folder / FILE)
    return manifest


def _write(folder: Path, manifest: CorpusManifest | FolderManifest) -> None:
    content = json.loads(json_text({"version": VERSION, **asdict(manifest)}))
    write_json(folder / FILE, {**content, "checksum": content_checksum(content)})


def _read(folder: Path, manifest: TypeAdapter[_Manifest]) -> _Manifest | None:
    path = folder / FILE
    if not path.is_file():
        return None
    content = read_json(path)
    version = content.pop("version", None)
    if version not in (VERSION, WITHOUT_CHECKSUMS):
        raise InputError(f"not a manifest of version {VERSION}; prepare the folder anew", path)
    if version == WITHOUT_CHECKSUMS and "files" not in content:
        content["files"] = None
    elif content.pop("checksum", None) != content_checksum({"version": version, **content}):
        raise InputError("damaged: not as it was written; prepare it anew", path)
    try:
        return manifest.validate_python(content)
    except ValidationError:
        raise InputError("not a manifest that 'skill-plugin prepare' wrote", path) from None


@lru_cache
def _say_unverified(data_bin: Path) -> None:
    """Warns once for each folder."""
    logger.warning(f"{data_bin}: prepared by an earlier version, which noted no checksums: its files are not verified")
