"""Labels that stand in raw data: which can be used, and what is said of those that are not known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.errors import nearest
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec import parse_corpora_file, read_corpora_file
from tests.one_corpus import Read, faults

ODD = ["with space", "comma, label", "<pad>", "</s>", "a\u2028b", "emoji 😀", "עברית", "#fairseq:overwrite", "1 2"]


@pytest.mark.parametrize(
    ("label", "why"),
    [
        ("MM\nPR", "holds the control character U+000A"),
        ("a\tb", "holds the control character U+0009"),
        ("\x1b[31mred", "holds the control character U+001B"),
        ("madeupword0003", "is one of the words with which fairseq fills dictionaries"),
    ],
)
def test_labels_in_data_get_the_test_of_labels_in_the_corpora_file(read: Read, label: str, why: str) -> None:
    rows = [{"t": "a", "y": "good"}, {"t": "b", "y": "bad"}, {"t": "c", "y": label}]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    for kind, columns, what in (
        ("classification", "text_a: t, label: y", "label"),
        ("multilabel", "text_a: t, label: y", "label"),
        ("labelling", "token: t, tag: y", "tag"),
    ):
        options = (f"kind: {kind}", "format: jsonl", f"columns: {{{columns}}}", "word_separator: '|'")
        data = read(
            *options[: 4 if kind == "labelling" else 3], "metric: accuracy" * (kind == "labelling"), train=content
        )
        assert faults(data) == [f"3: the {what} {label!r} cannot be used: it {why}; a label_map can rename it"]
    with pytest.raises(Exception, match="has a label that cannot be used") as caught:
        parse_corpora_file(
            "languages: [en]\ncorpora:\n  c: {kind: classification, language: en, format: tsv, columns: {text_a: t, "
            f"label: y}}, train: t, labels: [good, {json.dumps(label)}]}}\n",
            Path("c.yaml"),
        )
    assert why in str(caught.value)


def test_other_odd_labels_can_be_used(read: Read) -> None:
    content = "".join(json.dumps({"t": f"text {label}", "y": label}) + "\n" for label in ODD)
    data = read("kind: classification", "format: jsonl", "columns: {text_a: t, label: y}", train=content)
    assert faults(data) == []
    assert data.labels == tuple(sorted(ODD))


def test_a_wrong_column_of_labels_is_told_in_few_lines(tmp_path: Path) -> None:
    """Every label of 3,000 rows is unknown, among a thousand known ones."""
    known = ", ".join(f"label{n:04d}" for n in range(1000))
    (tmp_path / "t.tsv").write_text("t\tl\n" + "".join(f"a\ta long sentence as text number {n}\n" for n in range(3000)))
    section = "kind: classification, language: en, format: tsv, columns: {text_a: t, label: l}, train: t.tsv"
    (tmp_path / "c.yaml").write_text(f"languages: [en]\ncorpora:\n  c: {{{section}, labels: [{known}]}}\n")
    report = check_corpora(read_corpora_file(tmp_path / "c.yaml"))
    assert len(report.faults) == 21
    assert report.corpora["c"]["train"].skipped == {"unknown label": 3000}
    assert report.faults[-1].message.endswith(" (and 2,979 more rows: unknown label)")
    assert max(len(fault.message) for fault in report.faults) < 800
    assert len(report.notices) == 21
    assert report.notices[-1].fault.message == "and 980 other labels never occur in train"


def test_missing_columns_are_told_in_few_words(read: Read) -> None:
    keys = {f"key number {n}": "x" for n in range(20000)}
    data = read("kind: masked_lm", "format: jsonl", "columns: {text: t}", train=(json.dumps(keys) + "\n") * 30)
    assert len(data.faults) == 21
    assert sum(len(fault.message) for fault in data.faults) < 21 * 1000
    data = read("kind: masked_lm", "format: json", "rows: r", "columns: {text: t}", train=json.dumps(keys))
    assert len(faults(data)[0]) < 1000
    header = "\t".join(keys)
    data = read("kind: masked_lm", "format: tsv", "columns: {text: t}", train=f"{header}\na\n")
    assert len(faults(data)[0]) < 1000


def test_long_and_many_names_have_no_nearest_one() -> None:
    assert nearest("x" * 100_000, ["y" * 100_000]) == f"; expected one of: {'y' * 600}… (1 in all)"
    many = [f"name{n}" for n in range(100_000)]
    assert nearest("name777x", many).startswith("; did you mean 'name")


def test_f1_of_labels_in_data(read: Read) -> None:
    """Of two it is that of the last, as where the corpora file names them; of more, a class must be named."""
    options = ("kind: classification", "format: tsv", "columns: {text_a: t, label: l}", "metric: f1")
    data = read(*options, train="t\tl\na\tyes\nb\tno\n")
    assert faults(data) == []
    assert data.labels is not None
    metric = kind_named(data.corpus.kind).metric(data.corpus, data.labels, {}, 2)
    state = np.zeros(metric.size)
    metric.count(state, [1, 1, 0], [1, 0, 0], range(3))
    assert metric.value(state) == pytest.approx(2 / 3)
    metric.count(state, [0], [0], [3])
    assert metric.value(state) == pytest.approx(2 / 3)  # "no", rightly so, is not of the class
    more = read(*options, train="t\tl\na\tyes\nb\tno\nc\tperhaps\n")
    assert [fault.partition(": corpus 'c' ")[2] for fault in faults(more)] == [
        "has the metric f1 and 3 labels; expected a positive_label, or the metric macro_f1"
    ]


@pytest.mark.parametrize("size", [2000, 14000])
def test_many_labels(shared: Path, size: int) -> None:
    report = check_corpora(read_corpora_file(shared / f"cases/15-many-labels/c{size}.yaml"))
    assert report.faults == []
    assert len(report.labels["codes-en"]) == size


def test_cases_of_labels(shared: Path) -> None:
    cases = shared / "cases"
    found = check_corpora(read_corpora_file(cases / "23-nfd-labels/corpora.yaml"))
    alike = [notice.fault.message for notice in found.notices if "look like one" in notice.fault.message]
    assert alike == [
        r"the labels 'ne\u0301gatif' and 'n\xe9gatif' of train look like one",
        "the labels 'positif' and 'positif\\u200b' of train look like one",
    ]
    newline = CorpusReader(read_corpora_file(cases / "36-odd-labels/newline.yaml"))
    data = newline.read(newline.corpora_file.corpora["odd-en"])
    assert [(Path(f.file).name, f.line) for f in data.faults if "cannot be used" in f.message][:3] == [
        ("newline.jsonl", line) for line in (1, 3, 5)
    ]
    for name in ("classification", "multilabel"):
        report = check_corpora(read_corpora_file(cases / f"36-odd-labels/{name}.yaml"))
        told = {fault.message.partition(" cannot")[0] for fault in report.faults}
        assert told == {r"the label 'line\nbreak'", r"the label 'tab\tlabel'"}
