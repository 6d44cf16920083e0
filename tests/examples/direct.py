"""The raw files once more, read by the standard library alone: what the readers must have found."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml

COLLECTION = Path(__file__).parents[2] / "examples/corpora"
FILES = sorted(COLLECTION.glob("*.yaml"))
SPLITS = ("train", "valid", "test")
Cells = dict[str | int, Any]


def written(path: Path, raw: Path) -> dict[str, dict[str, Any]]:
    """The corpora of a file as PyYAML reads them, with what ``as`` inherits, and with the paths of files."""
    text = path.read_text(encoding="utf-8").replace("${SKILL_DATA}", str(raw))
    sections: dict[str, dict[str, Any]] = {}
    for name, section in yaml.safe_load(text)["corpora"].items():
        sections |= mixed(name, section) if "mix" in section else {name: section}
    for name, section in sections.items():
        base = sections[section["as"]] if "as" in section else {}
        sections[name] = {key: value for key, value in base.items() if key not in SPLITS} | section
        for split in SPLITS:
            if isinstance(section.get(split), dict):
                source = section[split].items()
                sections[name][split] = {key: value if key == "articles" else Path(value) for key, value in source}
            elif split in section:
                sections[name][split] = Path(section[split])
    return sections


def mixed(name: str, section: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A corpus a language; ``part`` is which rows of train each has, as figure 3.5 of the thesis draws them."""
    shared = {key: value for key, value in section.items() if key not in ("mix", "mix_seed", *SPLITS)}
    found = {}
    for number, (language, train) in enumerate(section["mix"].items()):
        splits = {split: section[split][language] for split in SPLITS if split in section}
        part = {"part": (number, len(section["mix"]), section["mix_seed"])}
        found[f"{name}-{language}"] = {**shared, **splits, **part, "train": train, "language": language, "head": name}
    return found


def in_part(section: dict[str, Any], rows: list[Any]) -> list[Any]:
    """The rows of train that are of a section's part."""
    number, parts, seed = section["part"]
    shuffled = np.random.RandomState(seed).permutation(len(rows))
    size = len(rows) // parts
    return [rows[i] for i in shuffled[number * size : (number + 1) * size]]


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig")


def lines_of(path: Path) -> list[str]:
    """Lines end at ``\\n`` or ``\\r\\n`` only."""
    lines = text_of(path).split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def table(path: Path, header: bool, quoting: str, separator: str) -> list[Cells]:
    """Rows as cells by number, and by name where there is a header."""
    lines = lines_of(path)
    if quoting == "csv":
        rows = list(csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=True))
    else:
        rows = [line.split(separator) for line in lines]
    names = rows.pop(0) if header else []
    return [dict(enumerate(row)) | dict(zip(names, row, strict=False)) for row in rows]


def objects(path: Path) -> list[Any]:
    return [json.loads(line) for line in lines_of(path)]


def blocks(path: Path) -> list[list[list[str]]]:
    """Sentences of a conll file as words of cells, without comments, forms of several words and empty nodes."""
    sentences: list[list[list[str]]] = [[]]
    for line in lines_of(path):
        if not line.strip():
            sentences.append([])
        elif not (line.startswith("# ") and "\t" not in line):
            cells = line.split("\t") if "\t" in line else line.split(" ")
            if len(cells) != 10 or cells[0].isdecimal():
                sentences[-1].append(cells)
    return [sentence for sentence in sentences if sentence]


def questions(path: Path, articles: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """(context, question) of a SQuAD file or of MRQA's lines."""
    if path.suffix == ".jsonl":
        for row in objects(path):
            yield from ((row["context"], question) for question in row["qas"])
        return
    first, last = (int(number) for number in (articles or "0:99999").split(":"))
    for article in json.loads(text_of(path))["data"][first:last]:
        for paragraph in article["paragraphs"]:
            yield from ((paragraph["context"], question) for question in paragraph["qas"])


def follow(value: Any, path: str | int) -> Any:
    """``a.b`` of nested objects, a number of a list; None where it leads nowhere."""
    for key in [path] if isinstance(path, int) else path.split("."):
        try:
            value = value[key]
        except (KeyError, IndexError):
            return None
    return value


def rows(section: dict[str, Any], split: str) -> list[Any]:
    """The raw rows of a split: dicts of columns, (cells of words) of conll, (context, question) of squad.

    Args:
        section: a corpus as YAML has it, with what it inherits, and its paths as files.
    """
    source, form = section[split], section["format"]
    if form == "lines":
        columns = [lines_of(path) for path in source.values()]
        return [dict(zip(source, cells, strict=True)) for cells in zip(*columns, strict=True)]
    path = source["path"] if isinstance(source, dict) else source
    if form == "conll":
        return blocks(path)
    if form == "squad":
        return list(questions(path, source.get("articles") if isinstance(source, dict) else None))
    if form in ("tsv", "csv"):
        quoting = section.get("quoting", "csv" if form == "csv" else "none")
        return table(path, section.get("header", True), quoting, "," if form == "csv" else "\t")
    found = objects(path) if form == "jsonl" else json.loads(text_of(path))
    if "rows" in section:
        found = follow(found, section["rows"])
    if isinstance(found, dict):
        found = list(found.values())
    if "each" not in section:
        return list(found)
    return [inner for outer in found for inner in elements(outer, section["each"])]


def elements(outer: Any, each: str) -> list[Any]:
    """The elements of the list, objects with what stands around them, lists with the outer label as last element."""
    inside = follow(outer, each)
    around = {key: value for key, value in outer.items() if key != each.split(".")[0]}
    if each.startswith("passage."):
        around["passage"] = outer["passage"]
    return [around | element if isinstance(element, dict) else around | {0: element[0]} for element in inside]
