"""What ``prepare`` notes beside the binarised data: one manifest of the folder, one of each corpus."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from skill_plugin.errors import InputError
from skill_plugin.whole_file import whole_file

VERSION = 2
FILE = "manifest.json"

_Manifest = TypeVar("_Manifest")


@dataclass(frozen=True)
class SplitManifest:
    """A split: rows kept, rows left out by reason, and sha256 of the raw files by path."""

    rows: int
    skipped: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CorpusManifest:
    """A corpus: kind, texts of a row, labels in the order of their ids, splits by name, and ``corpus_facts``."""

    kind: str
    texts: int
    labels: tuple[str, ...] | None
    splits: Mapping[str, SplitManifest]
    facts: Mapping[str, Any]

    def write(self, folder: Path) -> None:
        write_json(folder / FILE, {"version": VERSION, **asdict(self)})

    def identity(self, split: str) -> str | None:
        """What is the same where a split was prepared from the same raw files; None without such a split."""
        if split not in self.splits:
            return None
        content = [self.kind, self.labels, self.splits[split].rows, sorted(self.splits[split].sources.values())]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


@dataclass(frozen=True)
class FolderManifest:
    """The folder: names of its corpora, fingerprints of its vocabulary and of the whole text encoder."""

    corpora: tuple[str, ...]
    vocabulary: str
    text_encoder: str

    def write(self, folder: Path) -> None:
        write_json(folder / FILE, {"version": VERSION, **asdict(self)})


def read_folder_manifest(folder: Path) -> FolderManifest | None:
    """The manifest of a data folder; None where there is none, as in folders that fairseq-preprocess made.

    Raises:
        InputError: damaged or of another version.
    """
    return _read(folder, lambda raw: FolderManifest(tuple(raw["corpora"]), raw["vocabulary"], raw["text_encoder"]))


def read_corpus_manifest(folder: Path) -> CorpusManifest | None:
    """The manifest of a corpus's folder; None where there is none.

    Raises:
        InputError: damaged or of another version.
    """

    def make(raw: Any) -> CorpusManifest:
        splits = {name: SplitManifest(**split) for name, split in raw["splits"].items()}
        labels = None if raw["labels"] is None else tuple(raw["labels"])
        return CorpusManifest(raw["kind"], raw["texts"], labels, splits, raw["facts"])

    return _read(folder, make)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """A JSON file, whole or absent."""
    with whole_file(path) as beside:
        beside.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _read(folder: Path, make: Callable[[Any], _Manifest]) -> _Manifest | None:
    path = folder / FILE
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise InputError(f"damaged: {error}", path) from None
    if not isinstance(raw, dict) or raw.get("version") != VERSION:
        raise InputError(f"not a manifest of version {VERSION}; prepare the folder anew", path)
    try:
        return make(raw)
    except (KeyError, TypeError, AttributeError):
        raise InputError("not a manifest that 'skill-plugin prepare' wrote", path) from None
