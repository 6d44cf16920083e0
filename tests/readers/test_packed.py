"""Packed files are read as what is in them, in every format; damaged ones are told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from skill_plugin.readers import packed, read_split
from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.text_lines import read_document, read_lines
from tests.random_corpora import PACKERS
from tests.readers.test_json_and_lines import COLUMNS, corpus_of
from tests.readers.test_parquet_and_arrow import written

ENDS = [*PACKERS]


@pytest.mark.parametrize("end", ENDS)
def test_text(tmp_path: Path, end: str) -> None:
    content = "".join(f"line {number} é\n" for number in range(5000)).encode()
    path = tmp_path / f"x.txt{end}"
    path.write_bytes(PACKERS[end](content[:30000]) + PACKERS[end](content[30000:]))  # as files that were joined are
    assert read_document(path, "utf-8") == content.decode()
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with pytest.raises(UnreadableError, match=f"not a whole {packed.PACKED[end]} file") as raised:
        list(read_lines(path, "utf-8"))
    assert raised.value.line and raised.value.line > 1000
    path.write_bytes(b"not packed")
    with pytest.raises(UnreadableError, match=f"not a whole {packed.PACKED[end]} file"):
        list(read_lines(path, "utf-8"))


@pytest.mark.parametrize("end", ENDS)
def test_formats_that_are_no_text(tmp_path: Path, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    content = PACKERS[end](written(pa.table({"a": ["x"], "b": ["y"], "l": ["z"]}), "parquet"))
    path = tmp_path / f"train.parquet{end}"
    path.write_bytes(content)
    corpus = corpus_of(tmp_path, "format: parquet", COLUMNS, train=path.name)
    assert [e.texts for e in read_split(corpus, "train").examples] == [("x", "y")]
    path.write_bytes(content[:-9])
    (fault,) = read_split(corpus, "train").faults
    assert "not a whole" in fault.message
    path.write_bytes(content)
    monkeypatch.setattr(packed, "MOST_BYTES", 10)
    (fault,) = read_split(corpus, "train").faults
    assert fault.message == "the file unpacks to more than 10 bytes; unpack it"


@pytest.mark.parametrize("end", ENDS)
def test_a_name_without_the_end_is_told(tmp_path: Path, end: str) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(PACKERS[end](b"some text\n"))
    with pytest.raises(UnreadableError, match=rf"give it a name that ends in \{end}"):
        list(read_lines(path, "utf-8"))


def test_without_zstd_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.txt.zst").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    (fault,) = read_split(corpus_of(tmp_path, "format: jsonl", COLUMNS, train="train.txt.zst"), "train").faults
    assert fault.message.endswith("which is not installed: pip install 'skill-plugin[formats]'")
