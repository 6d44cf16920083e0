"""Each raw file is opened once by what reads corpora, also where its rows are gone through several times."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.spec import CorporaFile, read_corpora_file
from skill_plugin.store.prepare import prepare_corpora
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.opened_files import opened_files

LANGUAGES = ("de", "en", "zh")
MIX = """\
languages: [de, en, zh]
corpora:
  m:
    kind: classification
    format: tsv
    columns: {text_a: t, label: l}
LABELS    mix: {de: de.tsv, en: en.tsv, zh: zh.tsv}
    valid: {en: valid.tsv}
"""
CUT = """\
languages: [en]
corpora:
  c: {kind: classification, language: en, format: jsonl, columns: {text_a: t, label: l}, train: t.jsonl,
      split: {valid: 3, test: 2}}
"""
PARALLEL = """\
languages: [de, en]
corpora:
  m:
    kind: classification
    format: lines
    mix:
      de: {text_a: de.txt, label: labels.txt}
      en: {text_a: en.txt, label: labels.txt}
"""


def mix(folder: Path, labels: str = "") -> CorporaFile:
    for name in (*LANGUAGES, "valid"):
        rows = "".join(f"{name} {i}\t{'ab'[i % 2]}\n" for i in range(9))
        (folder / f"{name}.tsv").write_text(f"t\tl\n{rows}")
    (folder / "corpora.yaml").write_text(MIX.replace("LABELS", labels))
    return read_corpora_file(folder / "corpora.yaml")


@pytest.mark.parametrize("labels", ["", "    labels: [a, b]\n"])
@pytest.mark.parametrize("only", [None, ["m-de"], ["m-zh"], ["m-en", "m-zh"]])
def test_files_of_a_mix(tmp_path: Path, labels: str, only: list[str] | None) -> None:
    """Those of corpora that are not selected too, whose rows are counted."""
    spec = mix(tmp_path, labels).select(only)
    with opened_files() as opened:
        report = check_corpora(spec)
    assert report.faults == []
    assert [opened[tmp_path / f"{language}.tsv"] for language in LANGUAGES] == [1, 1, 1]
    assert opened[tmp_path / "valid.tsv"] == ("m-en" in spec.corpora)


def test_files_of_a_mix_that_do_not_fit(tmp_path: Path) -> None:
    spec = mix(tmp_path)
    with (tmp_path / "en.tsv").open("a") as file:
        file.write("one more\ta\n")
    with opened_files() as opened:
        report = check_corpora(spec)
    (fault,) = report.faults
    assert "corpus 'm-en' has 10 rows in train and 'm-de' has 9" in fault.message
    assert [opened[tmp_path / f"{language}.tsv"] for language in LANGUAGES] == [1, 1, 1]


def test_prepare(tmp_path: Path, word_piece_vocabulary: Path) -> None:
    """Which opens them a second time for the checksums that it notes."""
    spec, encoder = mix(tmp_path), open_tokenizer(word_piece_vocabulary)
    with opened_files() as opened:
        prepare_corpora(spec, tmp_path / "data", encoder)
    assert [opened[tmp_path / f"{name}.tsv"] for name in (*LANGUAGES, "valid")] == [2, 2, 2, 2]


def test_a_file_of_whose_rows_splits_are_made(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"t": f"text {i}", "l": "ab"[i % 2]}) + "\n" for i in range(20))
    (tmp_path / "t.jsonl").write_text(rows)
    (tmp_path / "corpora.yaml").write_text(CUT)
    with opened_files() as opened:
        report = check_corpora(read_corpora_file(tmp_path / "corpora.yaml"))
    assert [split.rows for split in report.corpora["c"].values()] == [15, 3, 2]
    assert opened[tmp_path / "t.jsonl"] == 1


def test_parallel_files(tmp_path: Path) -> None:
    """A file that two corpora name is one of each."""
    for name in ("de", "en"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{name} {i}\n" for i in range(6)))
    (tmp_path / "labels.txt").write_text("a\nb\n" * 3)
    (tmp_path / "corpora.yaml").write_text(PARALLEL)
    with opened_files() as opened:
        report = check_corpora(read_corpora_file(tmp_path / "corpora.yaml"))
    assert report.faults == []
    assert [opened[tmp_path / name] for name in ("de.txt", "en.txt", "labels.txt")] == [1, 1, 2]


@pytest.mark.parametrize("split", ["", ", split: {valid: 3}"])
def test_a_named_pipe_is_read_to_its_end(tmp_path: Path, split: str) -> None:
    """It gives its bytes once."""
    os.mkfifo(tmp_path / "pipe")
    rows = "t\tl\n" + "".join(f"text {i}\t{'ab'[i % 2]}\n" for i in range(20))
    columns = "format: tsv, columns: {text_a: t, label: l}, labels: [a, b]"
    (tmp_path / "corpora.yaml").write_text(
        f"languages: [en]\ncorpora:\n  c: {{kind: classification, language: en, {columns}, train: pipe{split}}}\n"
    )
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(rows,), daemon=True)
    writer.start()
    report = check_corpora(read_corpora_file(tmp_path / "corpora.yaml"))
    assert report.faults == []
    assert sum(found.rows for found in report.corpora["c"].values()) == 20
