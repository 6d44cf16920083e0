"""Parts of a mix: disjoint, complete, equal; and which rows of which file a corpus has (thesis, figure 3.5)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.readers.mix_parts import select_part
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.readers.read_split import OTHER_PART
from skill_plugin.spec import parse_corpora_file
from skill_plugin.spec.corpus import MixPart

SEEDS = st.integers(0, 2**32 - 1)


def parts(rows: int, languages: int, seed: int) -> list[list[int]]:
    masks = [select_part(MixPart("m", i, languages, seed), rows) for i in range(languages)]
    return [np.flatnonzero(mask).tolist() for mask in masks]


@given(st.integers(0, 300), st.integers(2, 16), SEEDS)
def test_parts_are_disjoint_complete_and_equal(rows: int, languages: int, seed: int) -> None:
    found = parts(rows, languages, seed)
    assert sorted(row for part in found for row in part) == list(range(rows))
    sizes = [len(part) for part in found]
    assert sizes == [rows // languages + (i < rows % languages) for i in range(languages)]


@given(st.integers(1, 300), st.integers(2, 16), SEEDS)
def test_figure_3_5(rows: int, languages: int, seed: int) -> None:
    """Its pseudocode; where rows cannot be divided evenly, it leaves the last ones out."""
    shuffled = np.random.RandomState(seed).permutation(rows).tolist()
    size = rows // languages
    expected = [shuffled[i * size : (i + 1) * size] for i in range(languages)]
    if rows % languages == 0:
        assert parts(rows, languages, seed) == [sorted(part) for part in expected]


def test_parts_are_a_function_of_the_seed() -> None:
    assert parts(50, 3, 1) == parts(50, 3, 1)
    assert parts(50, 3, 1) != parts(50, 3, 2)
    # written out, since data that was prepared by another version, of ours or numpy's, must have the same rows
    assert parts(10, 3, 1) == [[2, 4, 6, 9], [0, 1, 3], [5, 7, 8]]


YAML = """\
languages: [en, de, zh]
skills: {generic: on}
corpora:
  m:
    kind: classification
    skills: [generic]
    format: tsv
    columns: {text_a: text, label: label}
    mix: {en: en.tsv, de: de.tsv, zh: zh.tsv}
    valid: {de: valid.tsv}
"""


def read(folder: Path, only: list[str] | None = None, yaml: str = YAML) -> dict[str, CorpusData]:
    spec = parse_corpora_file(yaml, folder / "corpora.yaml").select(only)
    reader = CorpusReader(spec)
    return {name: reader.read(corpus) for name, corpus in spec.corpora.items()}


def write(folder: Path, rows: int = 20, **texts: list[str]) -> None:
    for language in ("en", "de", "zh"):
        lines = texts.get(language) or [f"{language} {i}\t{'abc'[i % 3]}" for i in range(rows)]
        (folder / f"{language}.tsv").write_text("text\tlabel\n" + "".join(f"{line}\n" for line in lines))
    (folder / "valid.tsv").write_text("text\tlabel\nx\ta\ny\tb\n")


def test_each_corpus_has_its_part_of_its_file(tmp_path: Path) -> None:
    write(tmp_path)
    found = read(tmp_path)
    for number, (language, data) in enumerate(zip(("en", "de", "zh"), found.values(), strict=True)):
        assert data.faults == []
        assert data.labels == ("a", "b", "c")
        train = data.splits["train"]
        rows = parts(20, 3, 1)[number]
        assert [example.texts[0] for example in train.examples] == [f"{language} {row}" for row in rows]
        assert [example.line for example in train.examples] == [row + 2 for row in rows]
        assert train.skipped == {OTHER_PART: 20 - len(rows)}
    assert len(found["m-de"].splits["valid"].examples) == 2


def test_one_part_alone_is_the_same(tmp_path: Path) -> None:
    write(tmp_path)
    alone, all_ = read(tmp_path, ["m-de"])["m-de"], read(tmp_path)["m-de"]
    assert alone.splits == all_.splits
    assert alone.labels == all_.labels


def test_labels_are_those_of_all_rows(tmp_path: Path) -> None:
    """A label that stands in one row only is in one part only, and yet a label of the shared head."""
    write(
        tmp_path,
        **{one: [f"{one} {i}\t{'rare' if i == 7 else 'ab'[i % 2]}" for i in range(20)] for one in ("en", "de")},
    )
    for data in read(tmp_path, ["m-en", "m-de"]).values():
        assert data.labels == ("a", "b", "rare")
        assert data.faults == []
    assert read(tmp_path, ["m-zh"])["m-zh"].labels == ("a", "b", "rare")


def test_a_label_that_the_first_file_lacks_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path, de=[f"d\t{'abcd'[i % 4]}" for i in range(20)])
    (fault, *_) = read(tmp_path)["m-de"].faults
    assert "unknown label 'd'" in fault.message
    assert fault.file.endswith("de.tsv")


@pytest.mark.parametrize("only", [None, ["m-zh"], ["m-en"]])
def test_files_of_different_length_are_refused_with_both_counts(tmp_path: Path, only: list[str] | None) -> None:
    write(tmp_path, de=[f"d {i}\ta" for i in range(19)])
    faults = [fault for data in read(tmp_path, only).values() for fault in data.faults]
    (fault,) = [fault for fault in faults if "rows in train" in fault.message]
    assert str(fault).startswith(f"{tmp_path}/corpora.yaml:9: corpus 'm-de' has 19 rows in train and 'm-en' has 20; ")


def test_a_row_that_is_left_out_leaves_its_place(tmp_path: Path) -> None:
    """Rows are counted as they stand in the file, so that parts stay disjoint where one language drops a row."""
    write(tmp_path, de=[f"de {i}\t{'drop' if i % 4 == 0 else 'abc'[i % 3]}" for i in range(20)])
    yaml = YAML.replace("    mix:", "    labels: [a, b, c]\n    drop_labels: [drop]\n    mix:")
    texts = [
        int(example.texts[0].split()[1])
        for data in read(tmp_path, None, yaml).values()
        for example in data.splits["train"].examples
    ]
    german = parts(20, 3, 1)[1]
    assert sorted(texts) == sorted(set(range(20)) - {row for row in german if row % 4 == 0})


def test_other_formats(tmp_path: Path) -> None:
    for language in ("en", "de"):
        rows = [{"id": i, "q": {"t": f"{language} {i}", "y": "ab"[i % 2]}} for i in range(9)]
        (tmp_path / f"{language}.json").write_text(json.dumps({"data": rows}))
    yaml = YAML.split("    format")[0] + (
        "    format: json\n    rows: data\n    columns: {text_a: q.t, label: q.y}\n    mix_seed: 5\n"
        "    mix: {en: en.json, de: de.json}\n"
    )
    found = read(tmp_path, None, yaml)
    for number, language in enumerate(("en", "de")):
        texts = [example.texts[0] for example in found[f"m-{language}"].splits["train"].examples]
        assert texts == [f"{language} {row}" for row in parts(9, 2, 5)[number]]


def test_fewer_rows_than_languages(tmp_path: Path) -> None:
    write(tmp_path, rows=2)
    found = read(tmp_path, None, YAML.replace("    mix:", "    labels: [a, b, c]\n    mix:"))
    assert found["m-en"].faults == []
    (fault,) = found["m-zh"].faults
    assert fault.message == f"no row is left: 2 {OTHER_PART}"
