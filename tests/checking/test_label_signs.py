"""What was read as labels though it is none: headers, missing values, placeholders, lists, several in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.checking.report import CheckReport
from skill_plugin.spec import parse_corpora_file

ROWS = [(f"text number {n}", ("neg", "pos")[n % 2]) for n in range(12)]


def checked(folder: Path, train: str, *options: str, kind: str = "classification", **others: str) -> CheckReport:
    named = any(option.startswith("columns") for option in options)
    section = [f"kind: {kind}", "language: en", *options, *([] if named else ["columns: {text_a: text, label: label}"])]
    for split, content in {"train": train, **others}.items():
        (folder / split).write_text(content, encoding="utf-8")
        section.append(f"{split}: {split}")
    section += [] if any(option.startswith("format") for option in options) else ["format: csv"]
    text = "languages: [en]\ncorpora:\n  c:\n" + "".join(f"    {line}\n" for line in section)
    return check_corpora(parse_corpora_file(text, folder / "c.yaml"))


def notices(report: CheckReport) -> list[str]:
    return [f"{Path(n.fault.file).name}:{n.fault.line}: {n.fault.message}" for n in report.notices]


def faults(report: CheckReport) -> list[str]:
    return [f"{Path(fault.file).name}:{fault.line}: {fault.message}" for fault in report.faults]


def table(rows: list[tuple[str, str]], header: str = "text,label") -> str:
    return "".join(f"{line}\n" for line in ([header] if header else []) + [",".join(row) for row in rows])


BY_NUMBER = "columns: {text_a: 0, label: 1}"


def test_a_row_that_was_taken_for_the_header(tmp_path: Path) -> None:
    report = checked(tmp_path, table(ROWS, ""), BY_NUMBER)
    assert notices(report) == ["train:1: the header has 'neg' in column 1, as rows have; is it a row (header: false)?"]
    assert notices(checked(tmp_path, table(ROWS, ""), BY_NUMBER, "header: false")) == []
    assert notices(checked(tmp_path, table(ROWS), BY_NUMBER)) == []


def test_a_header_that_was_taken_for_a_row(tmp_path: Path) -> None:
    report = checked(tmp_path, table(ROWS), BY_NUMBER, "header: false")
    assert notices(report) == [
        "train:1: the label 'label' is only in the first line, and all others are in several rows; "
        "is that line a header (header: true)?"
    ]
    rare = [("first", "rare"), *ROWS, ("last", "once")]  # a label of the first row that is not the only rare one
    assert notices(checked(tmp_path, table(rare, ""), BY_NUMBER, "header: false")) == []


def test_a_first_row_without_labels_is_no_header(tmp_path: Path) -> None:
    rows = [("none", ""), *(("text", label) for label in "aabbcc")]
    report = checked(tmp_path, table(rows, ""), BY_NUMBER, "header: false", kind="multilabel")
    assert not any("header" in notice for notice in notices(report))


def test_the_second_header_of_joined_files_may_have_a_byte_order_mark(tmp_path: Path) -> None:
    train = "\ufeff" + table(ROWS[:6]) + "\ufeff" + table(ROWS[6:])
    assert faults(checked(tmp_path, train)) == ["train:8: the row is the header again; expected values"]
    lines = "\ufeff" + table(ROWS[:6], "") + "\ufeff" + table(ROWS[6:], "")
    assert notices(checked(tmp_path, lines, BY_NUMBER, "header: false")) == [
        "train:7: rows whose text_a begins with a byte order mark (U+FEFF), as where files were joined: 1, "
        "the first one here"
    ]


def test_a_missing_label_is_no_class(tmp_path: Path) -> None:
    rows = [*ROWS, ("a", "nan"), ("b", "nan")]
    message = "train:14: rows with the label 'nan', which looks like a missing one: 2"
    assert notices(checked(tmp_path, table(rows))) == [f"{message}; drop_labels: ['nan'] leaves them out"]
    assert notices(checked(tmp_path, table(rows), "drop_labels: ['nan']")) == []
    assert notices(checked(tmp_path, table(rows), "labels: [neg, pos, nan]".replace("nan", "'nan'"))) == []


def test_numbers_written_in_two_ways(tmp_path: Path) -> None:
    rows = [(text, {"neg": "0", "pos": "1"}[label]) for text, label in ROWS]
    report = checked(tmp_path, table(rows), valid="text,label\na,1.0\n")
    assert faults(report) == ["valid:2: unknown label '1.0'; did you mean '1'?"]
    report = checked(tmp_path, table([*rows, ("a", "1.0"), ("b", "1.0")]))
    assert [message.partition(": ")[2] for message in notices(report)] == [
        "the labels '1' and '1.0' of train look like one"
    ]


def test_one_answer_for_a_whole_split(tmp_path: Path) -> None:
    dummy = table([(f"other {n}", "neg") for n in range(10)])
    assert notices(checked(tmp_path, table(ROWS), test=dummy)) == [
        "test:2: all 10 rows have the answer 'neg'; if it only stands in place of answers, leave out its column in "
        "test, or the split: its score would mean nothing"
    ]
    scores = table([(text, str(n)) for n, (text, _) in enumerate(ROWS)], "text,score")
    zeros = table([(f"other {n}", "0") for n in range(10)], "text,score")
    report = checked(tmp_path, scores, "columns: {text_a: text, score: score}", kind="regression", test=zeros)
    assert [message[:46] for message in notices(report)] == ["test:2: all 10 rows have the answer 0.0; if it"]
    assert notices(checked(tmp_path, table(ROWS), test=table([(f"other {n}", label) for n, label in ROWS]))) == []


def test_an_unknown_label_of_a_test_split_may_be_a_placeholder(tmp_path: Path) -> None:
    report = checked(tmp_path, table(ROWS), test="text,label\na,?\n")
    assert faults(report) == [
        "test:2: unknown label '?'; expected one of: neg, pos; where it is no answer, placeholders: ['?'] says so"
    ]
    report = checked(tmp_path, table(ROWS), "placeholders: ['?']", test="text,label\na,?\n")
    assert faults(report) == []


def test_nearly_every_row_has_a_label_of_its_own(tmp_path: Path) -> None:
    swapped = "columns: {text_a: label, label: text}"
    report = checked(tmp_path, table(ROWS), swapped)
    assert "train:2: 12 labels for 12 rows; is 'text' their column?" in notices(report)


@pytest.mark.parametrize("cell", ["['pos']", '["pos"]', "('pos', 'neg')", "{'pos'}"])
def test_a_list_is_not_one_label(tmp_path: Path, cell: str) -> None:
    tsv = "text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in [*ROWS, ("a", cell)])
    report = checked(tmp_path, tsv, "format: tsv")
    assert [fault[:19] for fault in faults(report)] == ["train:14: the label"]
    assert "is a list; expected one label" in faults(report)[0]
    quoted = cell.replace("'", "''")
    assert faults(checked(tmp_path, tsv, "format: tsv", f"label_map: {{'{quoted}': pos}}")) == []


def test_tuples_and_sets_of_labels(tmp_path: Path) -> None:
    tsv = "text\tlabel\na\t{'x', 'y'}\nb\t('x',)\nc\t['y']\nd\tx\n"
    report = checked(tmp_path, tsv, "format: tsv", kind="multilabel")
    assert report.corpora["c"]["train"].labels == {"x": 3, "y": 2}
    assert faults(report) == []
    tsv = "words\ttags\n('New', 'x')\t('B-LOC', 'O')\na b\tO O\n"
    report = checked(tmp_path, tsv, "format: tsv", "columns: {token: words, tag: tags}", kind="labelling")
    assert report.corpora["c"]["train"].labels == {"B-LOC": 1, "O": 3}


def test_labels_with_another_separator(tmp_path: Path) -> None:
    tsv = "text\tlabel\na\tx|y\nb\tx|z\nc\ty\n"
    expected = "labels that '|' divides into labels: 2, the first one here; is it what separates them "
    report = checked(tmp_path, tsv, "format: tsv", kind="multilabel")
    assert f"train:2: {expected}(label_separator: '|')?" in notices(report)
    assert notices(checked(tmp_path, tsv, "format: tsv", "label_separator: '|'", kind="multilabel")) == []
    alone = tsv.replace("x|z", "z").replace("c\ty", "c\tw")  # a label with a bar, of parts that are none
    assert notices(checked(tmp_path, alone, "format: tsv", kind="multilabel")) == []
