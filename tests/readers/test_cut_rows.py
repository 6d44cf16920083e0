"""Splits that are made of the rows of train."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.readers.cut_rows import UndividedError, divide_rows
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import parse_corpora_file
from skill_plugin.spec.corpus import Cut

KEYS = st.lists(st.one_of(st.none(), st.text("abcdef", min_size=1, max_size=2)), min_size=1, max_size=60)
SIZE = st.one_of(st.integers(1, 20), st.floats(0.01, 0.49))


def cut(seed: int = 1, **sizes: int | float) -> Cut:
    return Cut(sizes=sizes, seed=seed, line=1)  # type: ignore[arg-type]


@given(KEYS, SIZE, SIZE, st.integers(0, 9), st.randoms())
def test_splits_of_any_rows(keys: list[str | None], valid: float, test: float, seed: int, random: object) -> None:
    how = cut(seed, valid=valid, test=test)
    rows = Counter(key for key in keys if key is not None)
    try:
        found = divide_rows(how, keys)
    except UndividedError:
        sizes = [size if isinstance(size, int) else round(size * rows.total()) for size in (valid, test)]
        assert sum(sizes) >= rows.total() or len(rows) < 3 or max(rows.values()) > 1 or min(sizes) < 1
        return
    assert len(found) == len(keys) and set(found) <= {"train", "valid", "test"}
    of_key = {key: {split for other, split in zip(keys, found, strict=True) if other == key} for key in rows}
    assert all(len(splits) == 1 for splits in of_key.values())  # no text is in two splits
    assert {"train"} <= set().union(*of_key.values()) or not rows
    for name, size in (("valid", valid), ("test", test)):
        taken = sum(count for key, count in rows.items() if of_key[key] == {name})
        wanted = size if isinstance(size, int) else round(size * rows.total())
        assert not rows or (taken >= min(1, len(rows)) and abs(taken - wanted) <= max(1, *rows.values()))
    shuffled = sorted(rows.elements(), reverse=True)
    assert {key: {split} for key, split in zip(shuffled, divide_rows(how, shuffled), strict=True)} == of_key


def test_the_same_on_every_machine() -> None:
    keys = [f"text {number}" for number in range(10)]
    assert [
        key[-1] for key, split in zip(keys, divide_rows(cut(valid=0.3), keys), strict=True) if split == "valid"
    ] == [key[-1] for key in keys if key in _first(keys, 3)]
    assert divide_rows(cut(valid=3), keys) == divide_rows(cut(valid=0.3), keys) != divide_rows(cut(2, valid=3), keys)


def _first(keys: list[str], count: int) -> list[str]:
    import hashlib

    return sorted(keys, key=lambda key: hashlib.sha256(f"1\0{key}".encode()).hexdigest())[:count]


def read(folder: Path, *lines: str, **files: str) -> CorpusData:
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    section = "".join(f"    {line}\n" for line in ("language: en", *lines))
    file = parse_corpora_file(f"languages: [en, de]\ncorpora:\n  c:\n{section}", folder / "corpora.yaml")
    return CorpusReader(file).read(file.corpora["c"])


TABLE = "".join(f"text {number // 2}\t{'xy'[number % 2]}\t{number % 3}\n" for number in range(120))
PAIRS = ("kind: classification", "format: tsv", "header: false", "columns: {text_a: 0, label: 1}")
BOTH = "split: {valid: 10%, test: 20, seed: 3}"


def test_every_row_is_in_one_split(tmp_path: Path) -> None:
    data = read(tmp_path, *PAIRS, "train: t", BOTH, t=TABLE)
    sizes = {name: len(split.examples) for name, split in data.splits.items()}
    assert (
        sizes == {"train": 88, "valid": 12, "test": 20}
        and not data.faults
        and list(sizes) == ["train", "valid", "test"]
    )
    assert all(len(split.examples) + split.skipped.total() == 120 for split in data.splits.values())
    assert sorted(example.line for split in data.splits.values() for example in split.examples) == list(range(1, 121))
    texts = [{example.texts for example in split.examples} for split in data.splits.values()]
    assert len(set().union(*texts)) == sum(map(len, texts))
    moved = read(tmp_path, *PAIRS, "train: t", BOTH, t="".join(sorted(TABLE.splitlines(keepends=True), reverse=True)))
    assert {example.texts for example in moved.splits["test"].examples} == texts[2]


def test_where_dropped_labels_and_broken_rows(tmp_path: Path) -> None:
    lines = (
        *PAIRS,
        'where: {2: ["0", "1"]}',
        "drop_labels: [z]",
        "labels: [x, y]",
        "train: [a, b]",
        "split: {valid: 25%}",
    )
    bad = "text 7\tq\t0\nbroken\n"
    data = read(tmp_path, *lines, a=TABLE, b="more\tz\t0\n" + bad)
    assert len(data.splits["valid"].examples) == 20 and len(data.splits["train"].examples) == 60
    assert [fault.line for fault in data.faults] == [2, 3]
    counts = [split.skipped for split in data.splits.values()]
    assert sum(count["where 2"] for count in counts) == 40 and sum(count["dropped label 'z'"] for count in counts) == 1


def test_labels_are_those_of_the_whole_file(tmp_path: Path) -> None:
    content = "".join(f"t{number}\tl{number}\n" for number in range(12))
    data = read(tmp_path, *PAIRS, "train: t", "split: {valid: 6}", t=content)
    assert len(data.labels or ()) == 12 and len(data.splits["valid"].examples) == 6 and not data.faults


def test_articles_documents_queries_and_elements_stay_together(tmp_path: Path) -> None:
    def together(groups: list[str], *lines: str, content: str) -> None:
        data = read(tmp_path, *lines, "train: t", "split: {valid: 30%, seed: 4}", t=content)
        assert not data.faults
        found = [
            {word for e in split.examples for text in e.texts for word in groups if word in text}
            for split in data.splits.values()
        ]
        assert found[0] and found[1] and not found[0] & found[1] and set(groups) == found[0] | found[1]

    names = [f"n{number}x" for number in range(10)]
    paragraphs = {name: [{"context": f"{name} c{n}", "qas": [{"id": f"{name}{n}", "question": "q?", "answers": []}]}
                         for n in range(3)] for name in names}  # fmt: skip
    squad = {"data": [{"title": name, "paragraphs": paragraphs[name]} for name in names]}
    together(names, "kind: span", "format: squad", content=json.dumps(squad))
    sentences = "".join(f"{name} one\n{name} two\n\n" for name in names)
    together(names, "kind: next_sentence", "format: tsv", "header: false", "columns: {sentence: 0}", content=sentences)
    conll = "".join(f"-DOCSTART- O\n\n{name} O\na B-x\n\n{name} O\nb O\n\n" for name in names)
    together(names, "kind: labelling", "format: conll", "columns: {token: 0, tag: 1}", content=conll)
    rows = "".join(f"{name}\tc{n}\t{n}\n" for n in range(2) for name in names)
    columns = "columns: {text_a: 0, text_b: 1, label: 2}"
    together(names, "kind: ranking", "format: tsv", "header: false", columns, content=rows)
    elements = [{"qs": [{"q": f"{name} {n}", "l": "xy"[n]} for n in range(2)]} for name in names]
    lines = "kind: classification", "format: json", "each: qs", "columns: {text_a: q, label: l}"
    together(names, *lines, content=json.dumps(elements))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("train: t", "valid: v", "split: {valid: 5}"), "has both 'valid' and a 'split' that makes it"),
        (("test: t", "split: {valid: 5}"), "has a 'split' but no 'train'"),
        (("train: t", "split: {vaild: 5}"), "unknown key 'vaild'; did you mean 'valid'"),
        (("train: t", "split: {train: 90%}"), "unknown key 'train'; it has the rows that are left"),
        (("train: t", "split: {seed: 5}"), "makes no split"),
        (("train: t", "split: {valid: 0.1}"), "expected a share such as 10%, or a number of rows, not 0.1"),
        (("train: t", "split: {valid: 0%}"), "expected a share such as 10%"),
        (("train: t", "split: {valid: 60%, test: 40%}"), "leaves no row to train"),
        (("train: t", "split: {valid: 5, seed: x}"), "seed: expected a whole number from 0, not 'x'"),
        (("train: t", "split: 10%"), "expected {valid: 10%, seed: 1}, not '10%'"),
    ],
)
def test_what_cannot_be(tmp_path: Path, lines: tuple[str, ...], expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, *PAIRS, *lines)
    assert expected in caught.value.message and caught.value.line == 9 + ("valid: v" in lines or len(lines) - 1)


def test_sizes_that_the_file_does_not_have(tmp_path: Path) -> None:
    data = read(tmp_path, *PAIRS, "train: t", "split: {valid: 120}", t=TABLE)
    assert [(fault.line, fault.message) for fault in data.faults if "split" in fault.message] == [
        (10, "corpus 'c': split: 120 rows for valid, but the file has 120")
    ]
    data = read(tmp_path, *PAIRS, "train: t", "split: {valid: 1}", t="one\tx\none\ty\n")
    assert "no row is left to train: the 2 rows are of 1 text or article" in data.faults[0].message


def test_a_mix_is_not_divided(tmp_path: Path) -> None:
    section = (
        "kind: classification, format: tsv, columns: {text_a: t, label: l}, mix: {en: a, de: b}, split: {valid: 5}"
    )
    with pytest.raises(InputError, match="whose rows are translations of one another"):
        parse_corpora_file(f"languages: [en, de]\ncorpora:\n  m: {{{section}}}\n", tmp_path / "c.yaml")


def test_a_corpus_of_another_language_is_not_divided(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(TABLE, encoding="utf-8")
    section = f"{', '.join(PAIRS)}, language: en, train: t, {BOTH}"
    text = f"languages: [en]\ncorpora:\n  c: {{{section}}}\n  d: {{as: c, language: de, test: t}}\n"
    file = parse_corpora_file(text, tmp_path / "c.yaml")
    assert len(CorpusReader(file).read(file.corpora["d"]).splits["test"].examples) == 120
