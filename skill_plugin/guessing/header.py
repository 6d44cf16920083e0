"""Whether the first row of a table names its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skill_plugin.errors import counted
from skill_plugin.guessing.column import Column
from skill_plugin.spec.languages import is_mostly_unspaced

_LONGEST_NAME = 40  # characters
_USUAL = frozenset((
    "id", "idx", "index", "guid", "uid", "pairid", "qid", "text", "sentence", "premise", "hypothesis", "question",
    "answer", "context", "label", "labels", "class", "category", "target", "score", "title", "body", "query",
    "document", "passage", "review", "rating", "stars", "sentiment", "language", "lang", "source", "genre",
    "domain", "content", "tweet", "comment", "intent", "slot", "tag", "tags", "token", "tokens", "word", "words",
    "url", "date", "author", "utterance", "topic", "type", "split", "name", "description", "quality", "summary",
    "stance", "aspect", "emotion", "similarity", "relevance", "relevant", "choice", "option",
))  # fmt: skip


def find_header(rows: Sequence[Sequence[str]], width: int) -> tuple[bool, str]:
    """Whether the first of the rows is a header, and why.

    Args:
        rows: of cells, the first row of the file first.
        width: cells that most of them have.
    """
    first, rest = list(rows[0]), rows[1:]
    if len(first) != width:
        return False, f"the first row has {counted(len(first), 'cell')}, others have {width}"
    if any(len(cell) > _LONGEST_NAME for cell in first):
        return False, "the first row has a long text"
    usual = [cell for cell in first if _is_usual(cell)]
    points = 2.0 * len(usual)
    why = f"{usual[0]!r} is a usual name of a column" if usual else ""
    for place, cell in enumerate(first):
        column = Column(place, [row[place] for row in rest if place < len(row)])
        seen, reason = _compare(cell, column)
        points += seen
        if reason and (not why or abs(seen) > 2):
            why = reason
    if points > 0:
        return True, why
    return False, why or "the first row looks like the others"


def _is_usual(cell: str) -> bool:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cell.strip().lstrip("#")).lower()
    parts = [part for part in re.split(r"[^a-z]+", words) if part]
    return 0 < len(parts) <= 3 and cell.count(" ") < 2 and any(part in _USUAL for part in (parts[0], parts[-1]))


def _compare(cell: str, column: Column) -> tuple[float, str]:
    """Points for a header by what stands below its cell, and the reason."""
    if not column.scalars:
        return 0.0, ""
    number = Column(0, [cell])
    if column.is_number:
        if number.is_number:
            return -4.0, f"the first row has the number {cell} as rows below it have"
        return (3.0, f"{cell!r} stands above numbers") if cell else (0.0, "")
    if number.is_number:
        return -2.0, f"the first row has the number {cell}"
    if column.is_label_like:
        if cell in column.counts:
            return -4.0, f"the first row has {cell!r} as rows below it have"
        return 1.5, f"{cell!r} stands above {counted(len(column.counts), 'value')} and is none of them"
    if column.is_text:
        if " " not in cell.strip() and not is_mostly_unspaced(cell):
            return (1.0, f"{cell!r} is one word above texts") if cell else (0.0, "")
        if len(cell) > 0.4 * column.mean_length:
            return -1.5, "the first row has a text as rows below it have"
    return 0.0, ""
