"""Lists within rows of the collection's JSON files, as the data's README says of them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.examples import direct
from tests.examples.conftest import Read


def test_answers_nested_in_questions_nested_in_passages(raw: Path, read: Read) -> None:
    rows = direct.objects(raw / "fewglue/MultiRC/train.jsonl")
    expected = [
        (row["passage"]["text"], question["question"], [(a["text"], a["label"]) for a in question["answers"]])
        for row in rows
        for question in row["passage"]["questions"]
    ]
    found = [
        (*example.texts, list(zip(example.candidates, example.answer, strict=True)))  # type: ignore[arg-type]
        for example in read("superglue", "multirc-32")
    ]
    assert found == expected


def test_the_template_of_contrast_sets_is_no_row(raw: Path, read: Read) -> None:
    entries = json.loads((raw / "boolq-contrast/boolq_perturbed.json").read_text(encoding="utf-8"))["data"][1:]
    expected = [
        ((entry["paragraph"], row["perturbed_q"]), {"TRUE": "yes", "FALSE": "no"}[row["answer"]])
        for entry in entries
        for row in entry["perturbed_questions"]
        if row["answer"]
    ]
    assert [(example.texts, example.answer) for example in read("superglue", "boolq-contrast")] == expected


def test_evidence_is_a_list_of_lists(raw: Path, read: Read) -> None:
    rows = [row for split in ("train", "dev") for row in direct.objects(raw / f"ctkfacts-cs/{split}.jsonl")]
    expected = [(row["claim"], evidence[0]) for row in rows for evidence in row["evidence"]]
    assert [example.texts for example in read("nli", "ctkfacts-cs")] == expected
    assert sum(len(evidence) > 1 for row in rows for evidence in row["evidence"]) == 55
    assert len(expected) == 496
