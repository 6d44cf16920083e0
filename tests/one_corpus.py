"""One corpus of any kind from the contents of its files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import parse_corpora_file

Read = Callable[..., CorpusData]


def read_data(folder: Path, *lines: str, language: str = "en", suffix: str = "", **splits: str | bytes) -> CorpusData:
    """Writes the splits as ``train{suffix}`` …, and reads them with the given lines of a corpora file."""
    section = [*lines, f"language: {language}"]
    for split, content in splits.items():
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        (folder / f"{split}{suffix}").write_bytes(data)
        section.append(f"{split}: {split}{suffix}")
    text = f"languages: [{language}]\ncorpora:\n  c:\n" + "".join(f"    {line}\n" for line in section)
    file = parse_corpora_file(text, folder / "c.yaml")
    return CorpusReader(file).read(file.corpora["c"])


def json_lines(*rows: Any) -> str:
    """A file of JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def faults(data: CorpusData) -> list[str]:
    """``line: message`` of each fault."""
    return [f"{fault.line}: {fault.message}" for fault in data.faults]


def notices(data: CorpusData, split: str = "train") -> list[str]:
    return [f"{notice.line}: {notice.message}" for notice in data.splits[split].notices]


def words_and_tags(data: CorpusData, split: str = "train") -> list[tuple[list[str], tuple[str, ...]]]:
    """The words of each example of the kind labelling, and their tags."""
    return [([e.texts[0][a:b] for a, b in e.words], e.answer) for e in data.splits[split].examples]  # type: ignore[misc]
