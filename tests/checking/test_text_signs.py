"""Texts that were read with another encoding, quotes that remain, texts that are placeholders or empty."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.checking.report import CheckReport
from skill_plugin.checking.text_signs import undo_misreading
from skill_plugin.spec import parse_corpora_file

GERMAN = ["Der Hund läuft über die Straße", "Er sagte „nein“ … und ging", "Die Katze schläft", "It’s 5 €", "plain"]


def checked(folder: Path, content: bytes, *options: str, columns: str = "text_a: 0, label: 1") -> CheckReport:
    (folder / "t").write_bytes(content)
    section = ["kind: classification", "language: de", f"columns: {{{columns}}}", "train: t", *options]
    text = "languages: [de]\ncorpora:\n  c:\n" + "".join(f"    {line}\n" for line in section)
    return check_corpora(parse_corpora_file(text, folder / "c.yaml"))


def notices(report: CheckReport) -> list[str]:
    return [f"{notice.fault.line}: {notice.fault.message}" for notice in report.notices]


def table(encoding: str) -> bytes:
    return "".join(f"{text}\t{'xy'[n % 2]}\n" for n, text in enumerate(GERMAN)).encode(encoding)


HEADLESS = ("format: tsv", "header: false")


def test_the_right_encoding_is_no_sign(tmp_path: Path) -> None:
    for encoding in ("utf-8", "windows-1252", "utf-16"):
        assert notices(checked(tmp_path, table(encoding), *HEADLESS, f"encoding: {encoding}")) == []


def test_windows_1252_read_as_latin_1(tmp_path: Path) -> None:
    found = notices(checked(tmp_path, table("windows-1252"), *HEADLESS, "encoding: latin-1"))
    assert found == [
        r"2: rows with control characters from U+0080 to U+009F in their texts: 2, the first one here "
        r"('Er sagte \x84nein\x93 \x85 und '); encoding: windows-1252 reads them as signs such as € and ’"
    ]


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252"])
def test_utf_8_read_as_one_byte_a_letter(tmp_path: Path, encoding: str) -> None:
    content = table("utf-8").replace("“".encode(), b'"')  # whose last byte windows-1252 does not have
    found = notices(checked(tmp_path, content, *HEADLESS, f"encoding: {encoding}"))
    assert found == [
        "1: rows with UTF-8 in their texts that was read as windows-1252: 4, the first one here "
        "('lÃ¤uft' is 'läuft'); encoding: utf-8 reads them right"
    ]


def test_a_file_that_was_written_wrong(tmp_path: Path) -> None:
    content = table("utf-8").replace("“".encode(), b'"').decode("windows-1252").encode("utf-8")
    assert notices(checked(tmp_path, content, *HEADLESS))[0].endswith("is 'läuft'); the file itself was written so")
    lost = "M\ufffdller\tx\nB\ufffdr\ty\n"
    assert notices(checked(tmp_path, lost.encode(), *HEADLESS)) == [
        "1: rows with U+FFFD in their texts, which stands for characters that could not be read: 2, the first one "
        "here; they were lost when the file was written, with another encoding than that of its source"
    ]


@given(st.text(st.characters(max_codepoint=0x17F, exclude_categories=["Cc"])))
def test_what_is_meant_is_found(text: str) -> None:
    """Whatever was misread is told with what it was; a text with no two letters in a row beyond ASCII never is."""
    wrong = text.encode("utf-8").decode("latin-1")
    assert undo_misreading(wrong) == (None if text.isascii() else text)
    alone = "".join(character if character.isascii() else f"{character} " for character in text)
    assert undo_misreading(alone) is None


def test_quotes_that_remain(tmp_path: Path) -> None:
    rows = b"'so; so';'x'\n'la';'y'\n"
    found = checked(tmp_path, rows, "format: csv", "separator: ';'", "header: false")
    assert found.faults[0].message.endswith("cells begin with ': is that a quote (quote: \"'\")?")
    for content, options, advice in (
        (b"'a',x\n'b',y\nc,x\n", ("format: csv", "header: false"), 'quote: "\'" would unwrap them'),
        (b'"a"\tx\n"b"\ty\nc\tx\n', HEADLESS, "quoting: csv would unwrap them"),
        (b"'a'\tx\n'b'\ty\nc\tx\n", HEADLESS, 'quoting: csv and quote: "\'" would unwrap them'),
        (b'"""a""",x\n"""b""",y\nc,x\n', ("format: csv", "header: false"), "they were quoted twice"),
    ):
        quote = '"' if b'"' in content else "'"
        expected = f"1: cells of column 0 that are wrapped in {quote}: 2 of 3, the first one here; {advice}"
        assert notices(checked(tmp_path, content, *options)) == [expected]
    assert notices(checked(tmp_path, b'"a"\tx\nb\ty\nc\tx\n', *HEADLESS)) == []


def test_carriage_returns_and_placeholders(tmp_path: Path) -> None:
    found = notices(checked(tmp_path, b"a\rb\tx\nN/A\ty\n", *HEADLESS))
    assert found == [
        r"1: rows with a carriage return (\r) in their texts, which ends no line here: 1, the first one here",
        "2: rows whose text_a is 'N/A', which looks like a placeholder: 1, the first one here",
    ]


def test_second_texts_that_are_none(shared: Path) -> None:
    for name, empty in (("second-only", 2), ("train", 3)):
        path = shared / f"cases/13-pawsx/{name}.yaml"
        report = check_corpora(parse_corpora_file(path.read_text(encoding="utf-8"), path))
        told = {n.fault.message for n in report.notices if n.split == "train"}
        assert f"rows with an empty text_b: {empty}, the first one here" in told
        assert "rows whose text_b is 'NS', which looks like a placeholder: 1, the first one here" in told
