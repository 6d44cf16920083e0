"""The mix of languages of the thesis, from the collection's files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.examples import direct
from tests.examples.conftest import Read


def test_the_parts_of_xnli_mix_are_every_row_once(raw: Path, read: Read) -> None:
    """Each in its language: row n of all four files is the same pair, which exactly one corpus trains on."""
    found: Counter[int] = Counter()
    for language in ("en", "de", "es", "zh"):
        rows = direct.table(raw / f"xnli-{language}/dev-{language}.tsv", False, "none", "\t")
        train = read("xnli-mix", f"xnli-{language}")[:300]
        for example in train:
            row = rows[example.line - 1]
            assert (example.texts, example.answer) == ((row[0], row[1]), row[2])
        found.update(example.line for example in train)
    assert found == Counter(range(1, 1201))
