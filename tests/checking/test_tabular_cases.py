"""Tables as people have them: ../shared/cases, each with what is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.checking.report import CheckReport
from skill_plugin.spec import parse_corpora_file


def checked(shared: Path, case: str, old: str = "", new: str = "") -> CheckReport:
    path = shared / "cases" / case
    text = path.read_text(encoding="utf-8")
    assert old in text
    return check_corpora(parse_corpora_file(text.replace(old, new, 1), path))


def faults(report: CheckReport) -> list[str]:
    return [f"{Path(fault.file).name}:{fault.line}: {fault.message}" for fault in report.faults]


def test_backslash_quotes(shared: Path) -> None:
    case = "04-backslash-quotes/corpora.yaml"
    found = faults(checked(shared, case))
    assert [fault.partition(": ")[0] for fault in found] == ["train.csv:2", "train.csv:3", "valid.csv:2", "valid.csv:3"]
    assert all('escape: "\\\\" takes \\" for a quote of the text' in fault for fault in found)
    from skill_plugin.readers import read_split

    path = shared / "cases" / case
    text = path.read_text(encoding="utf-8").replace("format: csv", 'format: csv\n    escape: "\\\\"')
    rows = read_split(parse_corpora_file(text, path).corpora["films-en"], "train")
    assert rows.faults == []
    assert [e.texts[0] for e in rows.examples] == [
        'She said "never again" and left',
        'A "must see"',
        "Plain",
        "Also plain",
    ]


def test_a_second_header(shared: Path) -> None:
    assert faults(checked(shared, "14-double-header/corpora.yaml")) == [
        "train.csv:4: the row is the header again; expected values"
    ]


def test_spaces_behind_commas(shared: Path) -> None:
    report = checked(shared, "31-csv-space-after-comma/q.yaml")
    assert report.faults == []
    assert report.corpora["space-en"]["train"].labels == {"negative": 2, "positive": 1}
    assert faults(checked(shared, "31-csv-space-after-comma/corpora.yaml"))[0] == (
        "train.csv:1: no column 'label': the header has ['text', ' label']; did you mean ' label'?"
    )
    report = checked(shared, "31-csv-space-after-comma/corpora.yaml", "label: label", 'label: " label"')
    assert report.faults == []
    assert report.corpora["space-en"]["train"].labels == {"negative": 2, "positive": 2}


@pytest.mark.parametrize(
    ("case", "place", "words"),
    [
        ("mac", "mac.tsv:1", r"the file has carriage returns (\r) but no line feed (\n)"),
        ("crcrlf", "crcrlf.tsv:1", r"the line ends with \r\r\n"),
    ],
)
def test_line_ends(shared: Path, case: str, place: str, words: str) -> None:
    assert faults(checked(shared, f"32-line-ends/{case}.yaml"))[0].startswith(f"{place}: {words}")


def test_excels_first_line_and_a_separator_behind_each_row(shared: Path) -> None:
    report = checked(shared, "32-line-ends/excel.yaml")
    assert (report.faults, report.corpora["films-en"]["train"].rows) == ([], 2)
    assert "the line 'sep=;' says what separates cells, and is no row" in [n.fault.message for n in report.notices]
    report = checked(shared, "32-line-ends/trailing.yaml")
    assert (report.faults, report.corpora["films-en"]["train"].labels) == ([], {"neg": 1, "pos": 1})
