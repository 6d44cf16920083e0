"""Rows of the collection that are left out by an option, and refused without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec import parse_corpora_file
from tests.examples import direct


@pytest.mark.parametrize(
    ("file", "corpus", "old", "new", "messages"),
    [
        ("paraphrase", "qqp", "skip", "error", ["qqp/train.tsv:1: 5 cells; expected 6, as 999 of the first 1,000"]),
        (
            "sentiment",
            "germeval2017-sentiment",
            "skip",
            "error",
            ["germeval2017/train.tsv:101: a blank line; expected"],
        ),
        (
            "superglue",
            "boolq-contrast",
            "on_bad_row: skip",
            "on_bad_row: error",
            ["boolq-contrast/boolq_perturbed.json:1: no label; expected one of: no, yes"] * 5,
        ),
        (
            "sentiment",
            "chnsenticorp",
            "quoting: none                      # one row",
            "quoting: csv  #",
            ["chnsenticorp/train.tsv:944: text follows the closing quote of a cell that runs over lines 944 to 1030"],
        ),
    ],
)
def test_what_is_not_read_is_refused_with_file_and_line(
    raw: Path, file: str, corpus: str, old: str, new: str, messages: list[str]
) -> None:
    """Without the option that leaves such rows out, as examples/corpora/README.md says."""
    path = direct.COLLECTION / f"{file}.yaml"
    head, mark, section = path.read_text(encoding="utf-8").partition(f"  {corpus}:")
    assert old in section
    changed = parse_corpora_file(head + mark + section.replace(old, new, 1), path)
    faults = [str(fault) for fault in CorpusReader(changed).read(changed.corpora[corpus]).faults]
    assert len(faults) == len(messages)
    for fault, message in zip(faults, messages, strict=True):
        assert fault.startswith(f"{raw}/{message}")
