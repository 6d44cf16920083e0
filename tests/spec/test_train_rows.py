"""``train_rows`` in the corpora file."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.spec import parse_corpora_file
from skill_plugin.spec.corpora_file import CorporaFile
from tests.one_corpus import Read, faults

YAML = """\
languages: [en]
corpora:
  a:
    kind: classification
    language: en
    format: tsv
    columns: {text_a: t, label: l}
    train: a.tsv
    train_rows: 10%
  b:
    as: a
    language: en
    train: b.tsv
"""


def parse(old: str = "", new: str = "") -> CorporaFile:
    assert old in YAML
    return parse_corpora_file(YAML.replace(old, new, 1), Path("c.yaml"))


@pytest.mark.parametrize(
    ("written", "size", "shown", "of_200"),
    [("10%", 0.1, "10%", 20), ("0.25 %", 0.0025, "0.25%", 1), ("100%", 1.0, "100%", 200), ("135", 135, "135", 135)],
)
def test_a_share_or_a_number(written: str, size: float, shown: str, of_200: int) -> None:
    part = parse("10%", written).corpora["a"].train_rows
    assert part is not None
    assert (part.size, str(part), part.line, part.count(200)) == (size, shown, 9, of_200)


def test_as_does_not_inherit_it() -> None:
    assert parse().corpora["b"].train_rows is None


@pytest.mark.parametrize("written", ["0", "0%", "101%", "-5", "0.5", "half", "true", "[10%]", "10%%"])
def test_anything_else_is_refused(written: str) -> None:
    with pytest.raises(InputError, match=r"c\.yaml:9: corpus 'a': train_rows: .*10%"):
        parse("10%", written)


def test_without_train_it_means_nothing() -> None:
    with pytest.raises(InputError, match=r"c\.yaml:8: corpus 'a' has 'train_rows' but no 'train', of which"):
        parse("    train: a.tsv\n    train_rows: 10%\n", "    train_rows: 10%\n    test: a.tsv\n")


def test_more_rows_than_there_are_is_a_fault(read: Read) -> None:
    lines = ("kind: classification", "format: tsv", "columns: {text_a: t, label: l}")
    rows = "t\tl\n" + "".join(f"text {i}\t{'xy'[i % 2]}\n" for i in range(4))
    assert read(*lines, "train_rows: 4", train=rows).trained == 4
    found = read(*lines, "train_rows: 5", train=rows)
    assert faults(found) == ["7: corpus 'c': train_rows: asks for 5 rows, but train has 4"]
    assert found.trained is None
