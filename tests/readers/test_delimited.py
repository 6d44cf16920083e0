"""tsv and csv: what is written is read back, and what is broken is told."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skill_plugin.readers import SplitData, read_split
from skill_plugin.readers.cells import read_quoted
from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.text_lines import Line, read_lines
from skill_plugin.spec import Corpus, parse_corpora_file

Make = Callable[..., Corpus]
PAIR = ("header: false", "columns: {text_a: 0, text_b: 1, label: 2}")
SINGLE = ("format: tsv", "header: false", "columns: {text_a: 0, label: 1}")
# any text but what the format itself cannot hold
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
cells = st.text(characters, max_size=12)


def lines_of(text: str) -> list[Line]:
    parts = text.split("\n")
    return [Line(i + 1, part, "\n" if i < len(parts) - 1 else "", None) for i, part in enumerate(parts)]


def corpus_of(folder: Path, *options: str) -> Corpus:
    section = "".join(f"    {option}\n" for option in ("kind: classification", "language: en", "skills: [g]", *options))
    text = f"languages: [en]\nskills: {{g: on}}\ncorpora:\n  c:\n{section}    train: train.txt\n"
    return parse_corpora_file(text, folder / "corpora.yaml").corpora["c"]


def plain(cell: str) -> bool:
    return not set(cell) & set("\t\n") and not cell.endswith("\r")


@given(
    st.lists(st.tuples(cells.filter(plain), cells.filter(plain)), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_as_tsv_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list, end: str) -> None:
    folder = tmp_path_factory.mktemp("tsv")
    content = "".join(f"{a}\t{b}\tx{end}" for a, b in rows)
    (folder / "train.txt").write_bytes(b"\xef\xbb\xbf" * (end == "\r\n") + content.encode())
    if end == "\n" and content.startswith("\ufeff"):
        return  # a byte order mark by any reading
    split = read_split(corpus_of(folder, "format: tsv", *PAIR), "train")
    assert split.faults == []
    assert [e.texts for e in split.examples] == rows
    assert [e.line for e in split.examples] == list(range(1, len(rows) + 1))


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_as_csv_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list, end: str) -> None:
    folder = tmp_path_factory.mktemp("csv")
    stream = io.StringIO()
    csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL).writerows((a, b, "x") for a, b in rows)
    (folder / "train.txt").write_bytes(stream.getvalue().encode())
    split = read_split(corpus_of(folder, "format: csv", *PAIR), "train")
    assert split.faults == []
    assert [e.texts for e in split.examples] == rows
    first = 1
    for (a, b), found in zip(rows, split.examples, strict=True):
        assert found.line == first
        first += 1 + a.count("\n") + b.count("\n")


@given(st.text(alphabet='ab",\n', max_size=40))
def test_quotes_are_read_as_pythons_csv_reads_them(text: str) -> None:
    expected = list(csv.reader(io.StringIO(text, newline="")))
    try:
        found = [record.cells for record in read_quoted(lines_of(text), ",", '"')]
    except UnreadableError:  # a quote that is never closed, of which Python's module says nothing
        return
    assert [row for row in found if row != [""]] == [row for row in expected if row not in ([], [""])]


@given(st.binary(max_size=200))
@example(b"\xef")
@example(b"\xef\xbb\xbf")
def test_any_bytes_give_rows_or_faults_and_none_is_lost(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "train.txt").write_bytes(data)
    for options in (("format: tsv",), ("format: csv",)):
        split = read_split(corpus_of(folder, *options, "header: false", "columns: {text_a: 0, label: 1}"), "train")
        assert split.examples or split.faults
        if options == ("format: tsv",):
            lines = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").rstrip(b"\n")
            rows = lines.count(b"\n") + 1 if lines else 0
            assert len(split.examples) + split.skipped.total() == rows


def test_only_line_feeds_end_lines(make_corpus: Make) -> None:
    text = "a\u2028b\u0085c\rd\x0be\x0cf\x1cg"
    split = read_split(make_corpus("format: tsv", *PAIR, train=f"{text}\t{text}\tx\n".encode()), "train")
    assert [e.texts for e in split.examples] == [(text, text)]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252", "utf-32"])
def test_encodings(make_corpus: Make, encoding: str) -> None:
    content = "Bär\tÄ\tx\r\nÖl\tß\ty\r\n".encode(encoding)
    split = read_split(make_corpus("format: tsv", f"encoding: {encoding}", *PAIR, train=content), "train")
    assert [e.texts for e in split.examples] == [("Bär", "Ä"), ("Öl", "ß")]


def test_bytes_that_are_not_in_the_encoding(make_corpus: Make) -> None:
    good = b"a\tb\tx\n"
    split = read_split(make_corpus("format: tsv", *PAIR, train=good * 2 + b"M\xe4r\tb\tx\n" + good), "train")
    assert [(f.line, f.message[:38]) for f in split.faults] == [(3, "not UTF-8: the byte 0xe4 at column 2; ")]
    assert len(split.examples) == 3
    split = read_split(make_corpus("format: tsv", *PAIR, train="a\tb\tx\n".encode("utf-16")), "train")
    assert split.faults[0].message == "not UTF-8 but probably UTF-16; say encoding: utf-16"
    for encoding in ("utf-16-le", "utf-16-be"):
        split = read_split(make_corpus("format: tsv", *PAIR, train="a\tb\tx\n".encode(encoding)), "train")
        assert split.faults[0].message.endswith(f"UTF-16 without a byte order mark; say encoding: {encoding}")
    broken = "a\tb\tx\nc\td\ty\n".encode("utf-16") + b"\x00\xd8\n\x00"
    split = read_split(make_corpus("format: tsv", "encoding: utf-16", *PAIR, train=broken), "train")
    assert split.faults[-1].line == 3


def test_nul(make_corpus: Make) -> None:
    split = read_split(make_corpus("format: tsv", *PAIR, train=b"a\tb\tx\na\t\0b\tx\n"), "train")
    assert [str(f.line) + f.message for f in split.faults] == ["2holds the character NUL at column 3; expected text"]


@pytest.mark.parametrize(
    ("pack", "expected"),
    [
        (gzip.compress, "packed by gzip; give it a name that ends in .gz"),
        (bz2.compress, "packed by bzip2; unpack it"),
        (lzma.compress, "packed by xz; give it a name that ends in .xz"),
        (
            lambda data: b"PK\x03\x04\x14\x00" + data,
            "a zip archive, as those of spreadsheets are; say format: xlsx, or",
        ),
        (lambda data: b"PAR1\x15\x04\x00" + data + b"PAR1", "Parquet; say format: parquet"),
    ],
)
def test_files_that_are_no_text(make_corpus: Make, pack: Callable[[bytes], bytes], expected: str) -> None:
    split = read_split(make_corpus(*SINGLE, train=pack(b"x\tA\ny\tB\n")), "train")
    assert split.examples == []
    assert len(split.faults) == 1
    assert split.faults[0].message.startswith(f"the file is no text but {expected}")
    assert read_split(make_corpus(*SINGLE, train=b"PK\tA\nBZh\tB\nPAR1\tA\n"), "train").faults == []


def test_raw_quotes_are_text_when_quoting_is_none(make_corpus: Make) -> None:
    split = read_split(make_corpus("format: tsv", *PAIR, train=b'"a\tb" c"\tx\n"d"\t""\ty\n'), "train")
    assert [e.texts for e in split.examples] == [('"a', 'b" c"'), ('"d"', '""')]


def test_quotes_that_are_never_closed(make_corpus: Make) -> None:
    content = b'a\tb\tx\n"c\td\ty\ne\tf\tz\n'
    split = read_split(make_corpus("format: tsv", "quoting: csv", *PAIR, train=content), "train")
    assert [(f.line, f.message) for f in split.faults] == [
        (2, 'the quote " that opens a cell is never closed; quoting: none reads quotes as text')
    ]
    assert (len(split.examples), split.skipped.total()) == (1, 2)


def test_rows_merged_by_raw_quotes(make_corpus: Make) -> None:
    content = b'"a\tb\tx\nc\td" d\tb\ty\n'
    split = read_split(make_corpus("format: tsv", "quoting: csv", *PAIR, train=content), "train")
    assert len(split.faults) == 1
    assert split.faults[0].message.startswith("text follows the closing quote of a cell that runs over lines 1 to 2")


def test_a_header_with_the_wrong_separator(make_corpus: Make) -> None:
    columns = "columns: {text_a: s1, label: gold}"
    split = read_split(make_corpus("format: tsv", columns, train=b"s1,gold\na,x\n"), "train")
    assert split.faults[0].message.endswith(
        "the row is one cell between tabs, but holds a comma: is that the separator?"
    )
    split = read_split(make_corpus("format: tsv", *PAIR, train=b"a,b,x\n"), "train")
    assert split.faults[0].message.startswith("1 cell; expected 3 or more; the row is one cell between tabs")


def test_headers(make_corpus: Make) -> None:
    split = read_split(
        make_corpus("format: tsv", "columns: {text_a: s, label: l}", train=b"s\ts\tl\na\tb\tx\n"), "train"
    )
    assert split.faults[0].message == "the header names the column 's' twice; use its number from 0"
    split = read_split(
        make_corpus("format: tsv", "columns: {text_a: 1, label: l}", train=b"s\ts\tl\na\tb\tx\n"), "train"
    )
    assert [e.texts for e in split.examples] == [("b",)]
    split = read_split(
        make_corpus("format: tsv", "columns: {text_a: 3, label: l}", train=b"s\ts\tl\na\tb\tx\n"), "train"
    )
    assert split.faults[0].message == "no column 3: the header has 3 columns"


def told(split: SplitData) -> list[str]:
    return [f"{fault.line}: {fault.message}" for fault in split.faults]


def test_rows_of_other_widths_are_faults_without_a_header_too(make_corpus: Make) -> None:
    rows = b"a\tb\tx\nc\td\ty\te\tf\ng\th\tx\ni\tj\n"
    split = read_split(make_corpus("format: tsv", *PAIR, train=rows), "train")
    why = "expected 3, as 2 of 4 rows have"
    option = "extra_cells: drop leaves out the cells beyond the last column"
    assert told(split) == [f"2: 5 cells; {why}; {option}", f"4: 2 cells; {why}"]
    assert (len(split.examples), split.skipped) == (2, {"wrong number of cells": 2})
    split = read_split(make_corpus("format: tsv", "columns: {text_a: a, label: b}", train=b"a\tb\nc\tx\ty\n"), "train")
    assert told(split) == ["2: 3 cells; expected 2"]


def test_columns_that_are_not_used_count_too(make_corpus: Make) -> None:
    """A row of text and label in which the text holds a separator has its label in another cell."""
    columns = ("header: false", "columns: {text_a: 1, label: 2}")
    split = read_split(make_corpus("format: csv", *columns, train=b"1,a,x,\n2,b,c,y,\n3,d,y,\n"), "train")
    option = "extra_cells: drop leaves out the cells beyond the last column"
    assert told(split) == [f"2: 5 cells; expected 4, as 2 of 3 rows have; {option}"]
    assert split.notices == []
    many = b"1,a,x\n" * 1000 + b"2,b\n3,c,x,y\n"
    split = read_split(make_corpus("format: csv", *columns, train=many), "train")
    why = "expected 3, as 1,000 of the first 1,000 rows have"
    assert told(split) == [
        f"1001: 2 cells; {why}",
        f"1002: 4 cells; {why}; extra_cells: drop leaves out the cells beyond the last column",
    ]


def test_rows_of_other_widths_can_be_allowed(make_corpus: Make) -> None:
    rows = b"a\tb\tx\nc\td\ty\te\tf\ng\th\tx\n"
    split = read_split(make_corpus("format: tsv", "extra_cells: drop", *PAIR, train=rows), "train")
    assert [e.answer for e in split.examples] == ["x", "y", "x"]
    assert [(n.line, n.message) for n in split.notices] == [
        (2, "rows with 5 cells, of which only the first 3 are used (extra_cells: drop): 1")
    ]
    corpus = make_corpus("format: tsv", "extra_cells: drop", *PAIR, train=b"a\tb\tx\n", test=b"a\tb\nc\td\n")
    split = read_split(corpus, "test")
    assert (split.faults, [e.answer for e in split.examples]) == ([], [None, None])
    named = ("format: tsv", "extra_cells: drop", "columns: {text_a: t, label: l}")
    split = read_split(make_corpus(*named, train=b"t\tl\na\tx\tz\nb\n"), "train")
    assert told(split) == ["3: 1 cell; expected 2 or more"]
    assert [(e.texts, e.answer) for e in split.examples] == [(("a",), "x")]
    named = ("format: tsv", "missing_cells: empty", "columns: {text_a: t, label: l}")
    split = read_split(make_corpus(*named, train=b"l\tt\nx\ta\ny\nx\tc\ty\n"), "train")
    assert told(split) == ["4: 3 cells; expected 2 or fewer"]
    assert [(e.texts, e.answer) for e in split.examples] == [(("a",), "x"), (("",), "y")]
    message = "rows with 1 cell, where 2 were expected; missing ones are empty (missing_cells: empty): 1"
    assert (split.notices[0].line, split.notices[0].message) == (3, message)


@pytest.mark.parametrize(
    ("options", "row", "hint"),
    [
        (("format: csv", "separator: ';'"), "'a; b';c;x", "cells begin with ': is that a quote (quote: \"'\")?"),
        (("format: tsv",), "'a\tb'\tc\tx", "cells begin with ': is that a quote (quote: \"'\", quoting: csv)?"),
        (("format: tsv",), '"a\tb"\tc\tx', 'cells begin with ": is that a quote (quoting: csv)?'),
        (
            ("format: csv",),
            "a;c;x",
            "is one cell between commas, but holds a semicolon: is that the separator?",
        ),
        (("format: csv",), '"a \\"b, c\\"",c,x', 'escape: "\\\\" takes \\" for a quote of the text'),
    ],
)
def test_the_option_that_was_forgotten_is_named(make_corpus: Make, options: tuple, row: str, hint: str) -> None:
    separator = {"tsv": "\t", "csv": ","}[options[0].split()[1]] if len(options) == 1 else ";"
    good = separator.join("abx") + "\n"
    split = read_split(make_corpus(*options, *PAIR, train=(good * 2 + row + "\n").encode()), "train")
    assert [fault.line for fault in split.faults] == [3]
    assert split.faults[0].message.endswith(hint)


def test_a_row_that_is_the_header_again(make_corpus: Make) -> None:
    columns = ("format: csv", "columns: {text_a: text, label: label}")
    split = read_split(make_corpus(*columns, train=b"text,label\na,x\ntext,label\nb,y\n"), "train")
    assert told(split) == ["3: the row is the header again; expected values"]
    assert [e.answer for e in split.examples] == ["x", "y"]


def test_text_after_a_closing_quote(make_corpus: Make) -> None:
    split = read_split(make_corpus("format: csv", *PAIR, train=b'"5" screen",b,x\n"a" ,b,y\n'), "train")
    message = "text follows the closing quote of a cell: are the quotes text? quoting: none reads quotes as text"
    assert told(split) == [f"1: {message}"]
    assert [e.texts for e in split.examples] == [("a", "b")]


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=6))
def test_what_is_written_with_an_escape_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    folder = tmp_path_factory.mktemp("escape")
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL, doublequote=False, escapechar="\\")
    writer.writerows((a, b, "x") for a, b in rows)
    (folder / "train.txt").write_bytes(stream.getvalue().encode())
    split = read_split(corpus_of(folder, "format: csv", 'escape: "\\\\"', *PAIR), "train")
    assert split.faults == []
    assert [e.texts for e in split.examples] == rows


def test_an_escape_is_text_before_anything_else(make_corpus: Make) -> None:
    rows = rb'"C:\new ""a"" \"b\"",\"c,x'
    split = read_split(make_corpus("format: csv", 'escape: "\\\\"', *PAIR, train=rows), "train")
    assert [e.texts for e in split.examples] == [(r'C:\new "a" "b"', r"\"c")]


def test_quotes_behind_spaces(make_corpus: Make) -> None:
    rows = b'"a, b", "c, ""d""", "x" \n e,  "f" g, y\n'
    split = read_split(make_corpus("format: csv", *PAIR, train=rows), "train")
    assert [(e.texts, e.answer) for e in split.examples] == [(("a, b", 'c, "d"'), "x"), ((" e", '  "f" g'), "y")]
    split = read_split(make_corpus("format: csv", "separator: ' '", *PAIR, train=b'"a b" "c" x\n'), "train")
    assert [e.texts for e in split.examples] == [("a b", "c")]


@pytest.mark.parametrize("format_", ["tsv", "lines", "conll"])
def test_other_line_ends_are_faults(tmp_path: Path, format_: str) -> None:
    sections = {
        "tsv": "format: tsv\n    header: false\n    columns: {text_a: 0, label: 1}\n    train: a",
        "lines": "format: lines\n    train: {text_a: a, label: a}",
        "conll": "format: conll\n    columns: {token: 0, tag: 1}\n    train: a",
    }
    kind = "labelling" if format_ == "conll" else "classification"
    text = f"languages: [en]\ncorpora:\n  c:\n    kind: {kind}\n    language: en\n    {sections[format_]}\n"
    corpus = parse_corpora_file(text, tmp_path / "c.yaml").corpora["c"]
    for content, message in (
        (b"a\tx\rb\ty\rc\tx\r", "the file has carriage returns (\\r) but no line feed (\\n), so all of it is one line"),
        (b"a\tx\r\r\nb\ty\r\r\n", "the line ends with \\r\\r\\n"),
    ):
        (tmp_path / "a").write_bytes(content)
        split = read_split(corpus, "train")
        assert split.examples == []
        assert split.faults[0].line == 1
        assert split.faults[0].message.startswith(message)


def test_a_line_that_names_the_separator(make_corpus: Make) -> None:
    options = ("format: csv", "separator: ';'", "columns: {text_a: t, label: l}")
    split = read_split(make_corpus(*options, train=b"\xef\xbb\xbfsep=;\r\nt;l\r\na;x\r\n"), "train")
    assert [(e.texts, e.line) for e in split.examples] == [(("a",), 3)]
    assert [n.message for n in split.notices] == ["the line 'sep=;' says what separates cells, and is no row"]
    split = read_split(make_corpus("format: csv", options[2], train=b"sep=;\nt;l\na;x\n"), "train")
    assert told(split) == ["1: the line 'sep=;' says what separates cells; expected separator: ';'"]


def test_cells_that_look_quoted_are_a_notice(make_corpus: Make) -> None:
    split = read_split(make_corpus("format: tsv", *PAIR, train=b'"say ""a"" now"\tb\tx\n'), "train")
    assert split.notices[0].message.endswith("which quoting: csv would unwrap: 1")


def test_other_separators_and_quotes(make_corpus: Make) -> None:
    options = ("format: csv", "separator: ';'", 'quote: "\'"', *PAIR)
    split = read_split(make_corpus(*options, train=b"'a;''x';b;y\n"), "train")
    assert [e.texts for e in split.examples] == [("a;'x", "b")]
    split = read_split(make_corpus("format: tsv", "separator: ' ||| '", *PAIR, train=b"a ||| b ||| y\n"), "train")
    assert [e.texts for e in split.examples] == [("a", "b")]


def test_blank_lines(make_corpus: Make, tmp_path: Path) -> None:
    split = read_split(make_corpus("format: tsv", *PAIR, train=b"a\tb\tx\n\nc\td\ty\n\n\r\n"), "train")
    assert [str(f.line) + f.message for f in split.faults] == ["2a blank line; expected 3 cells"]
    assert len(split.examples) == 2
    assert [line.number for line in read_lines(tmp_path / "train.txt", "utf-8", keep_blank_end=True)] == [1, 2, 3, 4, 5]
