"""Writes a corpora file with its raw files."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

from tests.random_corpora.drawn import Drawn
from tests.random_corpora.raw_files import column_files, split_files
from tests.random_corpora.rows import ROWS, Columns
from tests.random_corpora.section import draw_keys


@dataclass
class Made:
    """One random corpus.

    Attributes:
        section: its lines of the corpora file.
        files: by name, as bytes.
        unit: what the file has a row for: ``row`` (an example), a query's ``candidates``, a document's ``sentences``.
        rows: of each split, counted in what was written.
    """

    kind: str
    format: str
    unit: str = "row"
    section: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)


def write_random_corpora(folder: Path, seed: int) -> dict[str, Made]:
    """Writes corpora.yaml and its raw files into a folder."""
    rng = random.Random(seed)
    made = {f"c{number}": _make(Drawn(rng, f"c{number}")) for number in range(rng.randint(1, 4))}
    lines = ["languages: [en, de, zh]", "skills: {generic: on, other: off}", "corpora:"]
    for name, corpus in made.items():
        lines += [f"  {name}:", *(f"    {line}" for line in corpus.section)]
        for file, content in corpus.files.items():
            (folder / file).write_bytes(content)
    (folder / "corpora.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def _make(drawn: Drawn) -> Made:
    rng = drawn.rng
    columns, row = ROWS[drawn.kind](drawn)
    made = Made(drawn.kind, drawn.format, _unit(drawn, columns))
    made.section = [f"kind: {drawn.kind}", f"language: {rng.choice(['en', 'de', 'zh'])}", "skills: [generic]"]
    made.section += [f"format: {drawn.format}", *draw_keys(drawn, columns, row)]
    divided = rng.random() < 0.15
    if divided:
        made.section.append("split: {valid: 25%}")
    if drawn.part is not None:
        made.section.append(f"train_rows: {drawn.part}")
    for split, most in (("train", 14), ("valid", 6), ("test", 4)):
        if split != "train" and (rng.random() >= 0.6 or (divided and split == "valid")):
            continue
        rows = [row() for _ in range(rng.randint(4 if split == "train" else 1, most))]
        if drawn.format == "lines":
            parts, made.rows[split] = column_files(drawn, split, rows, columns)
            names = {meaning: f"{drawn.name}.{split}.{columns[meaning]}.txt" for meaning in parts}
            made.files |= {names[meaning]: content for meaning, content in parts.items()}
            made.section.append(f"{split}: {json.dumps(names)}")
        else:
            files, made.rows[split] = split_files(drawn, split, rows)
            made.files |= files
            made.section.append(f"{split}: {json.dumps([*files]) if len(files) > 1 else next(iter(files))}")
    return made


def _unit(drawn: Drawn, columns: Columns) -> str:
    if drawn.kind == "ranking" and "text_b" in columns:
        return "candidates"
    if drawn.kind == "next_sentence" and (drawn.format == "conll" or "sentence" in columns):
        return "sentences"
    return "row"
