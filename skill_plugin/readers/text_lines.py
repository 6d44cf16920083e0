"""Reads the lines of a text file, for all readers: only ``\\n`` ends a line, and broken bytes do not stop it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from skill_plugin.readers.packed import is_packed, open_unpacked, unpacking_errors, unpacking_fault
from skill_plugin.readers.row import UnreadableError

# bytes that are not in the encoding arrive as these half surrogates (Python's "surrogateescape")
_BROKEN = re.compile("[\x00\udc80-\udcff]")
_BYTE_ORDER_MARK = "\ufeff"
_OLD_ENDS = (
    "line ends",
    r"the file has carriage returns (\r) but no line feed (\n), so all of it is one line; save it with line ends \n",
)
_DOUBLE_ENDS = ("line ends", r"the line ends with \r\r\n; save the file with line ends \n or \r\n")
_UTF16_MARKS = ("\udcff\udcfe", "\udcfe\udcff")
_NO_TEXT = {  # how files that are not text begin, if they are read as UTF-8
    "PK\x03\x04": "a zip archive, as those of spreadsheets are; say format: xlsx, or unpack it",
    "\x1f\udc8b": "packed by gzip; give it a name that ends in .gz",
    "BZh": "packed by bzip2; unpack it",
    "\udcfd7zXZ\x00": "packed by xz; give it a name that ends in .xz",
    "(\udcb5/\udcfd": "packed by zstd; give it a name that ends in .zst",
    "PAR1": "Parquet; say format: parquet",
    "ARROW1\x00": "Arrow; say format: arrow",
}


# Limits, since a few packed kilobytes can be gigabytes of text and take all memory.
LONGEST_LINE = 1 << 22  # characters
LONGEST_DOCUMENT = 1 << 29  # characters of a file that is read as a whole, such as JSON
MOST_BLANK = 1 << 20  # blank lines in a row
_CHUNK = 1 << 18  # bytes that are read at a time
_SMALL_CHUNK = 1 << 13  # of files that may break off, as io.TextIOWrapper reads them: what is before the break is given


class Line(NamedTuple):
    """A line without its end.

    Attributes:
        number: the number of the line, from 1.
        text: the line without its end.
        end: ``\\n``, ``\\r\\n``, or empty at the end of a file without a final newline.
        problem: (reason, message) if the line holds NUL or bytes that are not in the encoding, is too long, or has the
            wrong line end; otherwise None.
    """

    number: int
    text: str
    end: str
    problem: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class LineRun:
    """Lines, one after the other, that are not blank and have no problem.

    Attributes:
        number: the number of the first one, from 1.
        texts: the lines without their ends.
        end: the end of each, ``\\n`` or ``\\r\\n``.
    """

    number: int
    texts: list[str]
    end: str

    def __iter__(self) -> Iterator[Line]:
        return (Line(number, text, self.end, None) for number, text in enumerate(self.texts, self.number))


def read_lines(
    path: Path,
    encoding: str,
    keep_blank_end: bool = False,
    returns_are_space: bool = False,
    longest: int = LONGEST_LINE,
) -> Iterator[Line]:
    """Reads the lines of a file; a byte order mark at its beginning is left out.

    U+2028, U+0085 and a lone carriage return are text. Blank lines at the end of the file are left out unless
    ``keep_blank_end``. If a file has only carriage returns, or its lines end with ``\\r\\r\\n``, every such line has a
    problem, unless ``returns_are_space``, as in JSON.

    A file whose name ends in ``.gz``, ``.xz`` or ``.zst`` is unpacked. A line of more than ``longest`` characters is
    cut, and has a problem.

    Raises:
        OSError: no such file, a folder, no permission.
        UnreadableError: the file cannot be decoded from some line on (utf-16 with half a character), or has a million
            blank lines in a row.
    """
    for item in read_line_runs(path, encoding, keep_blank_end, returns_are_space, longest):
        if isinstance(item, LineRun):
            yield from item
        else:
            yield item


def read_line_runs(
    path: Path,
    encoding: str,
    keep_blank_end: bool = False,
    returns_are_space: bool = False,
    longest: int = LONGEST_LINE,
) -> Iterator[Line | LineRun]:
    """As ``read_lines``, but lines that have nothing unusual come in runs, which takes a tenth of the time."""
    blank: list[Line] = []
    doubled = False
    for line in _all_lines(path, encoding, longest):
        if isinstance(line, Line):
            if line.number == 1 and not returns_are_space:
                doubled = _is_doubled(line)
                if not line.end and "\r" in line.text and line.problem is None:
                    line = line._replace(problem=_OLD_ENDS)
            if doubled and line.problem is None and _is_doubled(line):
                line = line._replace(problem=_DOUBLE_ENDS)
            if not line.text and not keep_blank_end:
                blank.append(line)
                continue
        yield from blank
        blank.clear()
        yield line


def _is_doubled(line: Line) -> bool:
    return line.end == "\r\n" and line.text.endswith("\r")


def _all_lines(path: Path, encoding: str, longest: int) -> Iterator[Line | LineRun]:
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding  # Python's utf-8-sig reads half a mark as an empty file
    number = blank = 0
    try:
        for whole in _whole_lines(path, encoding, longest):
            if number and (run := _ordinary(whole, number + 1, longest)) is not None:
                yield run
                number, blank = number + len(run.texts), 0
                continue
            for text in _split(whole):
                number += 1
                line = _line(text, number, encoding, longest)
                blank = 0 if line.text else blank + 1
                if blank > MOST_BLANK:
                    raise UnreadableError(number, f"more than {MOST_BLANK:,} blank lines before this one")
                yield line
    except UnicodeError as error:
        raise _unreadable(path, encoding, number, error) from None
    except unpacking_errors() as error:
        raise unpacking_fault(path, number + 1, error) from None


def _split(whole: str) -> Iterator[str]:
    """Lines with their ends."""
    *lines, last = whole.split("\n")
    yield from (line + "\n" for line in lines)
    if last:
        yield last


def _ordinary(whole: str, number: int, longest: int) -> LineRun | None:
    """Lines as a run; None if one of them is blank, has a problem, or another end than the others."""
    end = "\n"
    if "\r" in whole:
        end = "\r\n"
        if not whole.count("\r") == whole.count("\n") == whole.count(end):
            return None
        whole = whole.replace(end, "\n")
    if whole[-1] != "\n" or whole[0] == "\n" or "\n\n" in whole or "\x00" in whole:
        return None
    try:
        whole.isascii() or whole.encode()
    except UnicodeEncodeError:  # it stands for a byte that is not in the encoding
        return None
    texts = whole.split("\n")
    texts.pop()
    return LineRun(number, texts, end) if len(whole) <= longest or max(map(len, texts)) <= longest else None


def _line(text: str, number: int, encoding: str, longest: int) -> Line:
    """A line from its text with its end."""
    cut = len(text) > longest + 2 or (len(text) == longest + 2 and not text.endswith("\n"))
    if cut:
        text = text[:longest] + _end(text)
    end = _end(text)
    text = text[: len(text) - len(end)]
    if number == 1:
        text = text.removeprefix(_BYTE_ORDER_MARK)
    broken = _BROKEN.search(text)
    if number == 1 and broken is not None:
        _must_be_text(text)
    problem = None if broken is None else _problem(number, text, broken, encoding)
    return Line(number, text, end, _too_long(longest) if cut else problem)


def _end(text: str) -> str:
    return "\r\n" if text.endswith("\r\n") else "\n" if text.endswith("\n") else ""


def _whole_lines(path: Path, encoding: str, longest: int) -> Iterator[str]:
    """The file in pieces, each of which ends where a line does. Of a line that is much too long the middle is lost.

    Errors come as early as when a text file is read: all lines before the chunk at fault are given.
    """
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    with open_unpacked(path) as file:
        size = _CHUNK if not is_packed(path) and encoding == "utf-8" else _SMALL_CHUNK
        begun: list[str] = []  # the line that has not ended yet
        length = 0
        while data := file.read1(size):
            text = decoder.decode(data)
            cut = text.rfind("\n") + 1
            if cut:
                yield "".join((*begun, text[:cut]))
                begun, length = [], 0
            if length > longest + 2:
                begun[-1] = text[-1:] or begun[-1]
            elif len(text) > cut:
                begun.append(text[cut:])
                length += len(text) - cut
                if length > longest + 2:
                    begun = ["".join(begun)[: longest + 3], text[-1:]]
        if text := "".join((*begun, decoder.decode(b"", final=True))):
            yield text


def _must_be_text(text: str) -> None:
    for beginning, what in _NO_TEXT.items():
        if text.startswith(beginning):
            raise UnreadableError(1, f"the file is no text but {what}")


def _too_long(longest: int) -> tuple[str, str]:
    return "too long a line", f"is longer than {longest:,} characters; has the file lines that end with \\n?"


def _problem(number: int, text: str, broken: re.Match[str], encoding: str) -> tuple[str, str]:
    character = broken.group()
    if number == 1 and text.startswith(_UTF16_MARKS):
        return "not UTF-8", "not UTF-8 but probably UTF-16; say encoding: utf-16"
    for place, name in enumerate(("utf-16-be", "utf-16-le")):  # the upper halves of Latin letters
        if (
            number == 1
            and len(text) > 3
            and set(text[place:16:2]) == {"\x00"}
            and "\x00" not in text[1 - place : 16 : 2]
        ):
            return "not UTF-8", f"not UTF-8 but probably UTF-16 without a byte order mark; say encoding: {name}"
    if character == "\x00":
        return "NUL character", f"holds the character NUL at column {broken.start() + 1}; expected text"
    name = "UTF-8" if encoding == "utf-8" else encoding
    byte = ord(character) - 0xDC00
    return (
        f"not {name}",
        f"not {name}: the byte 0x{byte:02x} at column {broken.start() + 1}; is there another encoding?",
    )


def _unreadable(path: Path, encoding: str, read: int, error: UnicodeError) -> UnreadableError:
    """Finds the broken line by decoding the whole file again, since a stream does not tell its position."""
    line = read + 1
    try:
        if not is_packed(path):  # which may be more than the memory holds
            path.read_bytes().decode(encoding)
    except UnicodeDecodeError as whole:
        line = whole.object[: whole.start].decode(encoding, errors="ignore").count("\n") + 1
    except UnicodeError:
        pass
    return UnreadableError(line, f"not {encoding} from here on ({getattr(error, 'reason', error)})")


def read_document(path: Path, encoding: str) -> str:
    """Reads the whole file as one string, without a byte order mark.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: a line holds NUL or bytes that are not in the encoding, or the file is too large.
    """
    lines, size = [], 0
    for line in read_lines(path, encoding, keep_blank_end=True, returns_are_space=True, longest=LONGEST_DOCUMENT):
        size += len(line.text) + len(line.end)
        if size > LONGEST_DOCUMENT:
            raise UnreadableError(line.number, f"the file is longer than {LONGEST_DOCUMENT:,} characters; divide it")
        if line.problem is not None:
            raise UnreadableError(line.number, line.problem[1])
        lines.append(line.text + line.end)
    return "".join(lines)
