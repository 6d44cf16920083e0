"""What a paper says of the rows of a table, from a data file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json


@dataclass(frozen=True)
class Published:
    """A published table.

    Attributes:
        source: the work, and its table.
        rows: name of a row -> column -> value in percent, as printed.
    """

    source: str
    rows: Mapping[str, Mapping[str, float]]


def read_published(path: Path) -> Published:
    """Reads ``{"source": "MT-TaG, table 1", "rows": {"dense": {"rte": 77.9, "all": 82.1}}}``.

    Raises:
        InputError: it cannot be read, or is not of that form.
    """
    content = read_json(path)
    try:
        rows = {name: {column: float(value) for column, value in row.items()} for name, row in content["rows"].items()}
        return Published(str(content["source"]), rows)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError('expected {"source": …, "rows": {NAME: {COLUMN: percent}}}', path) from None
