#!/usr/bin/env python3
"""Rows of cMedQA from its own files, which name questions and answers by ids: a label, a question and an answer each.

    python cmedqa.py FOLDER OUT

FOLDER has what the zip files of https://github.com/zhangsheng93/cMedQA2 (or cMedQA) hold: ``question.csv`` and
``answer.csv`` (``questions.csv`` and ``answers.csv`` will do), ``train_candidates.txt``, ``dev_candidates.txt`` and
``test_candidates.txt``. OUT gets ``train.txt``, ``dev.txt`` and ``test.txt`` as new_tasks_original.yaml reads them:
cells between tabs, in the quotes of CSV. A pair of train that comes several times, as each right answer does beside
every wrong one, is one row.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from skill_plugin.errors import InputError, reason_of
from skill_plugin.files.whole_file import whole_file

SPLITS = ("train", "dev", "test")


def rows_of(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The rows of a table.

    Raises:
        InputError: it cannot be read, or lacks a column.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [column for column in columns if column not in (reader.fieldnames or ())]
            if missing:
                raise InputError(f"no column {missing[0]!r}; there are: {', '.join(reader.fieldnames or ())}", path, 1)
            for row in reader:
                if None in row.values():
                    raise InputError("a row with too few cells", path, reader.line_num)
                yield row
    except OSError as error:
        raise InputError(reason_of(error), path) from None
    except UnicodeDecodeError:
        raise InputError("expected text in UTF-8", path) from None


def texts_of(folder: Path, name: str, key: str) -> dict[str, str]:
    """The texts of questions or of answers by their ids."""
    path = folder / f"{name}.csv"
    if not path.exists():
        path = folder / f"{name}s.csv"
    return {row[key]: " ".join(row["content"].split()) for row in rows_of(path, (key, "content"))}


def pairs_of(path: Path, split: str) -> dict[tuple[str, str], str]:
    """Question and answer, by their ids -> label, in the order of the file."""
    found: dict[tuple[str, str], str] = {}
    if split == "train":
        for row in rows_of(path, ("question_id", "pos_ans_id", "neg_ans_id")):
            found[row["question_id"], row["pos_ans_id"]] = "1"
            found.setdefault((row["question_id"], row["neg_ans_id"]), "0")
    else:
        for row in rows_of(path, ("question_id", "ans_id", "label")):
            found[row["question_id"], row["ans_id"]] = row["label"]
    return found


def convert(folder: Path, out: Path) -> None:
    """Writes the rows of each split.

    Raises:
        InputError: a file is missing or of another form, or names an id that no text has.
    """
    questions, answers = texts_of(folder, "question", "question_id"), texts_of(folder, "answer", "ans_id")
    for split in SPLITS:
        candidates = folder / f"{split}_candidates.txt"
        pairs = pairs_of(candidates, split)
        for question, answer in pairs:
            for name, number, texts in (("question", question, questions), ("answer", answer, answers)):
                if number not in texts:
                    raise InputError(f"no {name} has the id {number!r}", candidates)
        with whole_file(out / f"{split}.txt") as beside, beside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerows((label, questions[q], answers[a]) for (q, a), label in pairs.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="cMedQA's files, unpacked")
    parser.add_argument("out", type=Path, metavar="OUT", help="where the rows go")
    asked = parser.parse_args()
    try:
        convert(asked.folder, asked.out)
    except InputError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
