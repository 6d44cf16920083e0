"""What a field of ``columns`` may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.spec import Corpus, parse_corpora_file
from skill_plugin.spec.columns import Flags, Joined, list_columns


def corpora(*lines: str, more: str = "") -> dict[str, Corpus]:
    section = "".join(f"    {line}\n" for line in ("language: en", "train: t.tsv", *lines))
    return parse_corpora_file(f"languages: [en, de]\ncorpora:\n  c:\n{section}{more}", Path("corpora.yaml")).corpora


def test_texts_of_several_columns() -> None:
    columns = "columns: {text_a: [title, 3], text_b: {columns: [x, y], join: ' | '}, text_c: {columns: z}, label: l}"
    corpus = corpora("kind: classification", "format: csv", columns)["c"]
    assert corpus.columns == {
        "text_a": Joined(("title", 3)),
        "text_b": Joined(("x", "y"), " | "),
        "text_c": Joined(("z",)),
        "label": "l",
    }
    assert [list_columns(field) for field in corpus.columns.values()] == [("title", 3), ("x", "y"), ("z",), ("l",)]
    assert Corpus.model_validate(corpus.model_dump(round_trip=True)).text_columns == ("text_a", "text_b", "text_c")


def test_columns_of_0_and_1_name_the_labels() -> None:
    lines = "kind: multilabel", "format: csv"
    mapping = corpora(*lines, "columns: {text_a: t, label: {sad: s, glad: 2}}")["c"]
    assert mapping.columns["label"] == Flags({"sad": "s", "glad": 2}) and mapping.labels == ("sad", "glad")
    listed = corpora(*lines, "columns: {text_a: t, label: [sad, glad]}", "drop_labels: [sad]")["c"]
    assert listed.columns["label"] == Flags({"sad": "sad", "glad": "glad"}) and listed.labels == ("glad",)
    mapped = corpora(*lines, "columns: {text_a: t, label: [s, g]}", "label_map: {s: sad, g: glad}")["c"]
    assert mapped.labels == ("sad", "glad")
    named = corpora(*lines, "columns: {text_a: t, label: [b, a]}", "labels: [a, b, c]")["c"]
    assert named.labels == ("a", "b", "c")
    more = "  d:\n    as: c\n    language: de\n    columns: {text_a: t, label: [glad, sad]}\n    test: d.csv\n"
    assert corpora(*lines, "columns: {text_a: t, label: [sad, glad]}", more=more)["d"].labels is None  # those of c


def test_columns_from_the_end() -> None:
    corpus = corpora("kind: classification", "format: tsv", "columns: {text_a: 0, label: -1}", "where: {-2: x}")["c"]
    assert corpus.columns["label"] == -1 and corpus.where == {-2: ("x",)}


LABELS = ("kind: multilabel", "format: csv")
PAIRS = ("kind: classification", "format: tsv")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((*PAIRS, "columns: {text_a: [a, a], label: l}"), "names the column 'a' twice for 'text_a'"),
        ((*PAIRS, "columns: {text_a: t, label: [l, m]}"), "has a list of columns for 'label', which is one column"),
        ((*PAIRS, "columns: {text_a: t, label: {x: l}}"), "has a mapping of columns for 'label', which is one column"),
        ((*PAIRS, "columns: {text_a: {column: a}, label: l}"), "unknown key 'column' in the column 'text_a'; did you"),
        ((*PAIRS, "columns: {text_a: {join: ' '}, label: l}"), "has no 'columns' in the column 'text_a'"),
        ((*PAIRS, "columns: {text_a: {columns: [a], join: 3}, label: l}"), "has the join 3 in the column 'text_a'"),
        ((*PAIRS, "columns: {text_a: {columns: []}, label: l}"), "has no column in the list for 'text_a'"),
        ((*PAIRS, "columns: {text_a: {columns: [[a]]}, label: l}"), "has a list in 'text_a'; expected a column"),
        ((*PAIRS, "columns: {text_a: {columns: [no]}, label: l}"), "has a column that 'no' is read by YAML as False"),
        ((*PAIRS, "header: false", "columns: {text_a: [0, b], label: 2}"), "no header (header: false), so columns"),
        ((*LABELS, "columns: {text_a: t, label: [1, 2]}"), "expected {label: {NAME: 1}}"),
        ((*LABELS, "columns: {text_a: t, label: {a: x, b: x}}"), "has the column 'x' for two labels, 'a' and 'b'"),
        ((*LABELS, "columns: {text_a: t, label: {}}"), "has no column in 'label'"),
        ((*LABELS, "columns: {text_a: t, label: {a: [x]}}"), "has a list in 'label'; expected a column"),
        ((*LABELS, "labels: [a, b]", "columns: {text_a: t, label: [a, bb]}"), "for an unknown label 'bb'"),
        ((*LABELS, 'label_separator: ";"', "columns: {text_a: t, label: [a, b]}"), "has a label_separator, but its"),
        (("kind: span", "format: jsonl", "columns: {question: q, context: [a, b], answers: c, answer_start: s}"),
         "has a context of several columns, in which 'answer_start' has no meaning"),
        (("kind: labelling", "format: jsonl", "columns: {text: [a, b], entities: e}"), "of which 'entities' counts"),
        (("kind: labelling", "format: tsv", "columns: {token: [a, b], tag: e}"), "has a list of columns for 'token'"),
        ((*PAIRS, "columns: {text_a: 0, label: -1}", "missing_cells: empty"), "which missing_cells: empty leaves open"),
        (("kind: classification", "format: jsonl", "columns: {text_a: a, label: -1}"), "which the format 'jsonl' does"),
        ((*PAIRS, "max_cells: 2", "columns: {text_a: 0, label: 2}"), "max_cells: 2 makes columns 0 to 1"),
        ((*PAIRS, "max_cells: 2", "columns: {text_a: 0, label: -3}"), "max_cells: 2 makes columns 0 to 1"),
        ((*PAIRS, "max_cells: 1", "columns: {text_a: 0, label: 1}"), "expected a whole number from 2, not 1"),
        ((*PAIRS, "max_cells: 2", "quoting: csv", "columns: {text_a: 0, label: 1}"), "both max_cells and quoting: csv"),
        (("kind: classification", "format: jsonl", "max_cells: 2", "columns: {text_a: a, label: b}"), "'max_cells' of"),
    ],
)  # fmt: skip
def test_what_cannot_be(lines: tuple[str, ...], expected: str) -> None:
    with pytest.raises(InputError) as caught:
        corpora(*lines)
    assert expected in caught.value.message
    words = [line.partition(":")[0] for line in lines]
    key = next(w for w in ("label_separator", "max_cells", "columns") if w in words)
    if "makes columns" in expected or key not in ("label_separator", "max_cells"):
        key = "columns"
    assert caught.value.line == 6 + words.index(key)
