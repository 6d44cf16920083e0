"""What is right: the corpora of examples/corpora, by the set whose files they read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from skill_plugin.spec import read_corpora_file
from skill_plugin.spec.corpus import Corpus


def read_truth(folder: Path, raw: Path) -> dict[str, list[Corpus]]:
    """Name of a set -> the corpora that read its files."""
    found: dict[str, list[Corpus]] = {path.name: [] for path in sorted(raw.iterdir()) if path.is_dir()}
    for file in sorted(folder.glob("*.yaml")):
        for corpus in read_corpora_file(file).corpora.values():
            for name in {set_of(path, raw) for source in corpus.sources.values() for path in source.files}:
                found[name].append(corpus)
    return found


def set_of(path: Path, raw: Path) -> str:
    """The set of a file."""
    return path.resolve().relative_to(raw).parts[0]


def held_out(names: Sequence[str]) -> set[str]:
    """The third of the sets that rules were written without looking at."""
    drawn = sorted(names, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return set(drawn[: len(drawn) // 3])
