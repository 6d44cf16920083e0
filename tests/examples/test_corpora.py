"""``skill-plugin check`` over the whole collection: every data set is read right.

Rows, labels, words and tags are compared with what the standard library finds in the raw files, rows also with the
numbers of the data's own README.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.spec import CorporaFile
from tests.examples import direct
from tests.examples.direct import COLLECTION, FILES, SPLITS

Command = Callable[..., tuple[int, str, str]]

# rows that are not kept, everything else is
LANGUAGE = "where language"
SKIPPED: dict[tuple[str, str], dict[str, int]] = {
    ("ocnli", "train"): {"dropped label '-'": 1},
    ("ocnli", "valid"): {"dropped label '-'": 8},
    ("meta4xnli-en", "train"): {LANGUAGE: 408},
    ("meta4xnli-es", "train"): {LANGUAGE: 392},
    ("meta4xnli-en-met", "train"): {LANGUAGE: 203},
    ("meta4xnli-es-met", "train"): {LANGUAGE: 197},
    ("meta4xnli-en", "valid"): {LANGUAGE: 207},
    ("meta4xnli-es", "valid"): {LANGUAGE: 193},
    ("qqp", "train"): {"wrong number of cells": 1},
    ("germeval2017-sentiment", "train"): {"blank line": 1},
    ("germeval2017-relevance", "train"): {"blank line": 1},
    ("germeval2017-aspects", "train"): {"blank line": 1},
    **{(f"xnli-{language}", "train"): {"in another part of the mix": 900} for language in ("en", "de", "es", "zh")},
    ("boolq-contrast", "valid"): {"dropped label 'New Answer'": 1, "missing label": 5},
}
# items where one is made of several rows: questions with all their answers, documents with all their sentences
ITEMS = {("cmedqa", "train"): 110, ("cmedqa", "valid"): 45, ("nsp-ud-en", "train"): 5}
# rows within the rows that the README counts: pieces of evidence, sentences of documents, questions made from one
NOT_BY_README = {"ctkfacts-cs", "nsp-ud-en", "boolq-contrast"}
WITH_NAMES = {"classification", "multilabel", "labelling", "word_in_context"}
# files that no corpus reads, each for a reason
LEFT_OUT = {
    "copa-en/test-en.jsonl",  # dummy labels
    "wnli/test.tsv",  # labels of unknown source
    "tnews/label_index2en2zh.json",  # a table of the labels
}
METRICS = {
    "cola": "mcc",
    "mrpc": "f1",
    "qqp": "f1",
    "stsb": "spearman",
    "cb": "macro_f1",
    "multirc-32": "f1a",
    "copa": "accuracy",
    "cmedqa": "top1",
    "cmedir": "ndcg",
    "umsab-es": "macro_f1",
    "ctkfacts-cs": "macro_f1",
    "xquad-zh": "f1",
    "wnut17": "f1",
    "pos-de": "accuracy",
    "germeval2017-aspects": "micro_f1",
    "mlm-ud-de": "perplexity",
    "xnli-zh": "accuracy",
}


def rows_of_readme(shared: Path) -> dict[str, int]:
    """``set/file`` -> rows, from the table of the data's README."""
    found = {}
    for line in (shared / "data/README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4:
            for file, count in re.findall(r"(\S+\.\w+): (\d+)(?= sentences| questions|;|$)", cells[3]):
                found[f"{cells[0]}/{file}"] = int(count)
    return found


def names_of(section: dict[str, Any], row: Any) -> list[str] | None:
    """The labels of a raw row, mapped; None where it has none or is not kept."""
    for column, value in section.get("where", {}).items():
        if row[column] != value:
            return None
    columns = section.get("columns", {})
    if section["format"] == "conll":
        place = columns["tag"] if isinstance(columns["tag"], int) else {"UPOS": 3}[columns["tag"]]
        labels = [cells[place] for cells in row]
    elif "tag" in columns:
        labels = row[columns["tag"]].split(section["word_separator"])
    else:
        label = row.get("label") if section["format"] == "lines" else direct.follow(row, columns.get("label", ""))
        if section["kind"] == "multilabel":
            labels = list(dict.fromkeys((label or "").split(section["label_separator"])))
        else:
            labels = [] if label is None else [json.dumps(label) if isinstance(label, bool) else str(label)]
    labels = [label for label in labels if label]
    if any(label in section.get("drop_labels", ()) for label in labels):
        return None
    return [section.get("label_map", {}).get(label, label) for label in labels]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_check(path: Path, shared: Path, raw: Path, command: Command) -> None:
    status, out, err = command("check", path, "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert report["faults"] == []
    sections, known = direct.written(path, raw), rows_of_readme(shared)
    assert list(report["corpora"]) == list(sections)
    for name, splits in report["corpora"].items():
        section = sections[name]
        assert list(splits) == [split for split in SPLITS if split in section]
        for split, found in splits.items():
            check_rows(section, name, split, found, known, raw)
        labels = report["labels"].get(name, [])
        assert section.get("labels", labels) == labels
        assert not [label for label in labels if label.isdecimal()]  # people can read them


def check_rows(
    section: dict[str, Any], name: str, split: str, found: dict[str, Any], known: dict[str, int], raw: Path
) -> None:
    where = name, split
    rows = direct.rows(section, split)
    skipped = SKIPPED.get(where, {})
    assert found["skipped_by_reason"] == skipped, where
    total = found["rows"] + sum(skipped.values())
    assert total == ITEMS.get(where, len(rows)), where
    if isinstance(section[split], Path) and where not in ITEMS and name not in NOT_BY_README:
        file = section[split].relative_to(raw).as_posix()
        if file in known:
            assert total - skipped.get("blank line", 0) == known[file], where
        else:
            assert file.startswith("fewglue/"), where
    if "part" in section and split == "train":
        rows = direct.in_part(section, rows)
    if section["kind"] in WITH_NAMES and "entities" not in section.get("columns", {}):
        kept = [names for row in rows if (names := names_of(section, row)) is not None]
        assert found["labels"] == Counter(label for names in kept for label in names), where


def test_every_file_of_every_data_set_is_read(raw: Path, collection: dict[str, CorporaFile]) -> None:
    read = {
        path.relative_to(raw).as_posix()
        for file in collection.values()
        for corpus in file.corpora.values()
        for source in corpus.sources.values()
        for path in source.files
    }
    there = {path.relative_to(raw).as_posix() for path in raw.rglob("*") if path.is_file()}
    assert there - read == LEFT_OUT
    assert read <= there


def test_the_readme_lists_every_data_set_with_its_corpora(raw: Path, collection: dict[str, CorporaFile]) -> None:
    text = (COLLECTION / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([^`]+)` \| `([^`]+)\.yaml`", text, re.MULTILINE))
    assert set(listed) == {path.name for path in raw.iterdir() if path.is_dir()}
    for name, file in collection.items():
        for corpus in file.corpora:
            assert f"`{corpus}`" in text, (name, corpus)
        used = {p.relative_to(raw).parts[0] for c in file.corpora.values() for s in c.sources.values() for p in s.files}
        assert {data_set for data_set, first in listed.items() if first == name} <= used


def test_no_corpus_has_a_name_or_a_metric_that_surprises(collection: dict[str, CorporaFile]) -> None:
    corpora = {name: corpus for file in collection.values() for name, corpus in file.corpora.items()}
    assert {name: corpora[name].metric for name in METRICS} == METRICS
    for file in collection.values():
        used = {skill for corpus in file.corpora.values() for skill in corpus.skills}
        assert used == set(file.skills)
        assert {corpus.language for corpus in file.corpora.values()} == set(file.languages)


def test_without_the_variable_one_line_says_so(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    monkeypatch.delenv("SKILL_DATA", raising=False)
    path = COLLECTION / "acceptability.yaml"
    status, _, err = command("check", path)
    assert status == 1
    lines = err.splitlines()
    assert len(lines) == 3
    for line in lines:
        assert line.startswith(f"{path}:")
        assert line.endswith(": the environment variable SKILL_DATA is not set")
    assert "corpus 'cola': train: cannot read ${SKILL_DATA}/cola/train.tsv: " in lines[0]
