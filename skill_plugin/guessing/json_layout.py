"""JSON: one object a line, one document with the rows somewhere in it, or SQuAD's form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skill_plugin.errors import counted
from skill_plugin.guessing.column import Column
from skill_plugin.guessing.layout import SAMPLED_LINES, Layout
from skill_plugin.readers.json_rows import COLUMNS_NOT_ROWS
from skill_plugin.readers.text_lines import read_document

_USUAL = 0.5  # share of the rows that have a key inside another; keys of fewer are values, as surface forms of entities
_MOST = 200  # columns that are looked at
_DEEPEST = 3  # objects inside objects, of which columns are made


def json_layout(path: Path, encoding: str, lines: Sequence[str]) -> Layout | str | None:
    """The layout of a JSON file; None if it is none, as a string what is wrong with it."""
    first = next(line for line in lines if line.strip()).lstrip()
    if first[:1] not in ("{", "["):
        return None
    rows = _lines_of_objects(lines)
    alone = rows is not None and len(rows) == 1 and ".jsonl" not in path.suffixes
    if rows is not None and not (alone and (isinstance(_of_document(rows[0]), Layout) or _holds_columns(rows[0]))):
        if any(_is_asked(row) or "header" in row for row in rows[:2]):
            return Layout("squad", "MRQA's form: lines with a context and its questions", [], known=True)
        return Layout("jsonl", "one JSON object a line", columns_of(rows))
    try:
        document = json.loads(read_document(path, encoding))
    except (ValueError, RecursionError):
        return None
    return _of_document(document)


def _lines_of_objects(lines: Sequence[str]) -> list[dict[str, Any]] | None:
    """The objects, of which nearly every line must be one."""
    rows, wrong = [], 0
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            rows.append(value)
        elif line.strip():
            wrong += 1
            if wrong > 3 and wrong > 0.05 * len(rows):
                return None
    return rows if rows and wrong <= 0.05 * len(rows) + 1 else None


def _is_asked(value: Any) -> bool:
    """Whether it is a paragraph of SQuAD or MRQA: a context with a list of questions."""
    return isinstance(value, dict) and isinstance(value.get("context"), str) and isinstance(value.get("qas"), list)


def _of_document(document: Any) -> Layout | str:
    articles = document.get("data") if isinstance(document, dict) else document
    if isinstance(articles, list):
        for article in articles[:3]:
            paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
            if isinstance(paragraphs, list) and any(map(_is_asked, paragraphs)):
                return Layout("squad", "SQuAD's form: articles with paragraphs and their questions", [], known=True)
    if _holds_columns(document):
        return f"JSON of columns; {COLUMNS_NOT_ROWS}"
    found = _rows(document, ())
    if found is None:
        return "JSON without a list of objects"
    place, rows, keyed = found
    why = f"one JSON document with {counted(len(rows), 'row')} in {'an object' if keyed else 'a list'}"
    layout = Layout("json", why, columns_of(rows[:SAMPLED_LINES]))
    if place:
        layout.keys["rows"] = (".".join(place), "the longest list of objects in the document is there")
    return layout


def _holds_columns(document: Any) -> bool:
    """Whether it is a table by columns, each an object whose keys are the numbers of rows."""
    if not isinstance(document, dict) or len(document) < 2:
        return False
    first = next(iter(document.values()))
    numbers = list(map(str, range(len(first)))) if isinstance(first, dict) else []
    return len(numbers) > 1 and all(isinstance(one, dict) and list(one) == numbers for one in document.values())


def _rows(value: Any, place: tuple[str, ...]) -> tuple[tuple[str, ...], list[dict[str, Any]], bool] | None:
    """Where the longest list or object of objects is, with them, and whether they are an object's values."""
    if isinstance(value, list):
        rows = [row for row in value if isinstance(row, dict)]
        return (place, rows, False) if rows and len(rows) >= 0.9 * len(value) else None
    if not isinstance(value, dict) or len(place) > _DEEPEST:
        return None
    rows = [row for row in value.values() if isinstance(row, dict)]
    if len(rows) > 1 and len(rows) == len(value) and len({frozenset(row) for row in rows}) <= 0.5 * len(rows):
        return place, rows, True
    found = [one for key, inner in value.items() if "." not in key and (one := _rows(inner, (*place, key)))]
    return max(found, key=lambda one: len(one[1]), default=None)


def columns_of(rows: Sequence[Any]) -> list[Column]:
    """The columns of objects: keys, and paths to keys of objects inside them."""
    flat = [_flat(row) for row in rows]
    counts = Counter(name for row in flat for name in row)
    top = {str(key) for row in rows if isinstance(row, dict) for key in row}
    names = [name for name, count in counts.items() if name in top or count >= _USUAL * len(rows)]
    return [Column(name, [row.get(name) for row in flat]) for name in names[:_MOST]]


def _flat(row: Any, before: str = "", depth: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in row.items() if isinstance(row, dict) else ():
        name = f"{before}{key}"
        if isinstance(value, dict) and value and depth < _DEEPEST and all("." not in str(one) for one in value):
            found[name] = value  # a kind may read the object itself
            found |= _flat(value, f"{name}.", depth + 1)
        else:
            found[name] = value
    return found
