"""What ``prepare`` notes beside the binarised data: one manifest of the folder, one of each corpus.

Both hold the sha256 of the files beside them and of themselves. Those of version 2 have none.
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
from skill_plugin.spec.corpus import SPLITS
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
    """A split: rows kept, rows left out by reason, and sha256 of the raw files by path."""

    rows: int
    skipped: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CorpusManifest:
    """A corpus: kind, texts of a row, labels in the order of their ids, splits by name, ``RowStorage.facts``, and
    sha256 of its files by name (None where they are not known)."""

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
        """That the files of a split are as they were written; False where that is not known, which is said.

        Raises:
            InputError: one is not.
        """
        if self.files is None:
            _say_unverified(folder.parent)
            return False
        verify_files(folder, self._files_of(split))
        return True

    def identity(self, split: str) -> str | None:
        """What is the same exactly where a split's rows and answers are, as ids: a sha256; None without such a split.

        From a folder without checksums it is that of the raw files.
        """
        if split not in self.splits:
            return None
        if self.files is None:
            known = sorted(self.splits[split].sources.values())
        else:
            # not the texts, beside each of which its place in the raw files is noted
            known = [
                f"{name}:{checksum}"
                for name, checksum in sorted(self.files.items())
                if name == "input0/dict.txt" or (Path(name).stem == split and not name.startswith("text/"))
            ]
        content = [self.kind, self.labels, self.splits[split].rows, known]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def _files_of(self, split: str) -> dict[str, str]:
        """With those that the splits have in common."""
        others = [other for other in SPLITS if other != split]
        return {name: checksum for name, checksum in (self.files or {}).items() if Path(name).stem not in others}


@dataclass(frozen=True)
class FolderManifest:
    """The folder: names of its corpora, fingerprints of its vocabulary and of the whole text encoder, and sha256 of the
    text encoder's files by name (None where they are not known)."""

    __pydantic_config__: ClassVar = EXACT

    corpora: tuple[str, ...]
    vocabulary: str
    text_encoder: str
    files: Mapping[str, str] | None

    def write(self, folder: Path) -> None:
        _write(folder, self)

    def verify(self, folder: Path) -> None:
        """That the text encoder's files are as they were written.

        Raises:
            InputError: one is not.
        """
        if self.files is None:
            _say_unverified(folder)
        else:
            verify_files(folder, self.files)


def read_folder_manifest(folder: Path) -> FolderManifest | None:
    """The manifest of a data folder; None where there is none, as in folders that fairseq-preprocess made.

    Raises:
        InputError: damaged or of another version.
    """
    manifest = _read(folder, FolderManifest)
    for name in () if manifest is None else manifest.corpora:
        check_name(name, "corpus", folder / FILE, None)
    return manifest


def read_corpus_manifest(folder: Path) -> CorpusManifest | None:
    """The manifest of a corpus's folder; None where there is none.

    Raises:
        InputError: damaged or of another version.
    """
    manifest = _read(folder, CorpusManifest)
    for label in () if manifest is None else manifest.labels or ():
        if problem := find_label_problem(label):
            raise InputError(f"has a label that cannot be used: {label!r} {problem}", folder / FILE)
    return manifest


def _write(folder: Path, manifest: CorpusManifest | FolderManifest) -> None:
    content = json.loads(json_text({"version": VERSION, **asdict(manifest)}))
    write_json(folder / FILE, {**content, "checksum": content_checksum(content)})


def _read(folder: Path, manifest: type[_Manifest]) -> _Manifest | None:
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
        return TypeAdapter(manifest).validate_python(content)
    except ValidationError:
        raise InputError("not a manifest that 'skill-plugin prepare' wrote", path) from None


@lru_cache
def _say_unverified(data_bin: Path) -> None:
    """Once for a folder."""
    logger.warning(f"{data_bin}: prepared by an earlier version, which noted no checksums: its files are not verified")
