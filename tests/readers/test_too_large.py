"""Files that unpack to more than the memory holds are refused while they are read."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest

from skill_plugin.readers import text_lines
from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.text_lines import read_document, read_lines


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("length", [9, 10, 11, 12, 13, 40])
def test_a_line_is_cut_where_it_is_too_long(tmp_path: Path, length: int, end: str) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes((f"short\r\n{'é' * length}{end}" + ("last\n" if end else "")).encode())
    lines = list(read_lines(path, "utf-8", longest=10))
    assert [line.number for line in lines] == [1, 2, 3][: len(lines)]
    assert len(lines) == (3 if end else 2)
    assert lines[0].text == "short" and lines[0].problem is None
    assert lines[-1].text == ("last" if end else lines[1].text)
    second = lines[1]
    assert second.end == end
    if second.problem is None:
        assert second.text == "é" * length and length < 13
    else:
        assert second.text == "é" * 10 and length > 10
        assert second.problem[0] == "too long a line"


def test_a_long_line_of_a_small_gzip_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.txt.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"first\n")
        for _ in range(60):
            file.write(b"a" * (1 << 20))
        file.write(b"\nlast\n")
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    lines = list(read_lines(path, "utf-8"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [line.problem is None for line in lines] == [True, False, True]
    assert lines[2].text == "last"
    assert peak < 40 << 20  # of 60 MB


def test_blank_lines_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "MOST_BLANK", 3)
    path = tmp_path / "x.txt"
    path.write_text("a\n\n\n\nb\n")
    assert [line.text for line in read_lines(path, "utf-8")] == ["a", "", "", "", "b"]
    path.write_text("a\n\n\n\n\nb\n")
    with pytest.raises(UnreadableError, match="more than 3 blank lines"):
        list(read_lines(path, "utf-8"))


def test_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "LONGEST_DOCUMENT", 10)
    path = tmp_path / "x.json"
    path.write_text("[1,\n2,\n3]")
    assert read_document(path, "utf-8") == "[1,\n2,\n3]"
    path.write_text("[1,\n2,\n3,\n4]")
    with pytest.raises(UnreadableError, match="the file is longer than 10 characters; divide it"):
        read_document(path, "utf-8")
    path.write_text("[1, 2, 3, 4]\n")
    with pytest.raises(UnreadableError, match="longer than 10 characters"):
        read_document(path, "utf-8")
