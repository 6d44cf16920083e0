"""Lines in runs, whatever the size of what is read at a time, are the lines of a text file read one by one."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.readers import text_lines
from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.text_lines import LineRun, read_line_runs, read_lines

LONGEST = 12
PIECES = [
    "a",
    "bc d",
    "é",
    "北京",
    "\ufeff",
    "\u2028",
    "\x85",
    "\r",
    "\r\n",
    "\n",
    "\n",
    "\n",
    "\x00",
    "🙂",
    "aaaaaaaa",
]
BROKEN = st.sampled_from([b"", b"", b"", b"\xff", b"\xe5\x8c"])


def direct(path: Path, encoding: str) -> Iterator[tuple[str, str, bool]]:
    """Each line with its end, and whether it is too long, as Python reads text."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    with io.TextIOWrapper(io.BytesIO(content), encoding, "surrogateescape", newline="\n") as file:
        for number, line in enumerate(file):
            cut = len(line) > LONGEST + 2 or (len(line) == LONGEST + 2 and not line.endswith("\n"))
            end = "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""
            text = line[:LONGEST] if cut else line[: len(line) - len(end)]
            if cut and end == "\n" and text.endswith("\r"):
                text, end = text[:-1], "\r\n"
            yield text if number else text.removeprefix("\ufeff"), end, cut


@given(
    parts=st.lists(st.sampled_from(PIECES), max_size=40),
    broken=BROKEN,
    size=st.integers(1, 40),
    encoding=st.sampled_from(["utf-8", "utf-8", "utf-16", "latin-1"]),
    packed=st.booleans(),
)
def test_lines_are_those_of_a_text_file(
    parts: list[str], broken: bytes, size: int, encoding: str, packed: bool
) -> None:
    written = "".join(parts).encode(encoding, "ignore") + (b"" if encoding == "utf-16" else broken + b"\nx\nx\n")
    with tempfile.TemporaryDirectory() as folder, patch.multiple(text_lines, _CHUNK=size, _SMALL_CHUNK=size):
        path = Path(folder) / ("x.gz" if packed else "x")
        path.write_bytes(gzip.compress(written) if packed else written)
        items = list(read_line_runs(path, encoding, keep_blank_end=True, returns_are_space=True, longest=LONGEST))
        lines = list(read_lines(path, encoding, keep_blank_end=True, returns_are_space=True, longest=LONGEST))
        expected = list(direct(path, encoding))
    assert [line.number for line in lines] == list(range(1, len(expected) + 1))
    found = [(line.text, line.end, (line.problem or ("",))[0] == "too long a line") for line in lines]
    assert found == expected
    assert [line for item in items for line in (item if isinstance(item, LineRun) else [item])] == lines
    for item in items:
        if isinstance(item, LineRun):
            assert all(item.texts) and not any("\x00" in text or "\r" in text for text in item.texts)


@pytest.mark.parametrize("size", [1, 7, 1 << 13])
def test_lines_before_a_break_are_given(tmp_path: Path, size: int) -> None:
    path = tmp_path / "x"
    path.write_bytes("a\nb\nc\n".encode("utf-16") + b"d")
    with patch.multiple(text_lines, _SMALL_CHUNK=size):
        lines = read_lines(path, "utf-16")
        assert [next(lines).text for _ in range(3)] == ["a", "b", "c"]
        with pytest.raises(UnreadableError, match="not utf-16 from here on"):
            next(lines)
