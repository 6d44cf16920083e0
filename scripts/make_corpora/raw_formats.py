"""Rows to files, in each raw format."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

from items import Item


def write_table(separator: str) -> Callable[[Path, list[Item]], None]:
    def write(path: Path, items: list[Item]) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(items[0]), delimiter=separator, lineterminator="\n")
            writer.writeheader()
            writer.writerows(items)

    return write


def write_jsonl(path: Path, items: list[Item]) -> None:
    path.write_text("".join(f"{json.dumps(item, ensure_ascii=False)}\n" for item in items), encoding="utf-8")


def write_lines(path: Path, items: list[Item]) -> None:
    """One file a column."""
    for column in items[0]:
        Path(f"{path}.{column}").write_text("".join(f"{item[column]}\n" for item in items), encoding="utf-8")


def write_conll(path: Path, items: list[Item]) -> None:
    """A word and its tag a line, a blank line after each sentence."""
    sentences = (zip(item["token"], item["tag"], strict=True) for item in items)
    lines = ("".join(f"{word}\t{tag}\n" for word, tag in pairs) for pairs in sentences)
    path.write_text("".join(f"{part}\n" for part in lines), encoding="utf-8")


def write_squad(path: Path, items: list[Item]) -> None:
    """SQuAD v1.1, one question a paragraph."""
    paragraphs = []
    for number, item in enumerate(items):
        answers = [{"text": item["answer"], "answer_start": item["start"]}]
        asked = {"id": f"{path.stem}.{number}", "question": item["question"], "answers": answers}
        paragraphs.append({"context": item["context"], "qas": [asked]})
    content = {"version": "1.1", "data": [{"title": path.stem, "paragraphs": paragraphs}]}
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")


WRITERS: dict[str, Callable[[Path, list[Item]], None]] = {
    "tsv": write_table("\t"),
    "csv": write_table(","),
    "jsonl": write_jsonl,
    "lines": write_lines,
    "conll": write_conll,
    "squad": write_squad,
}
