"""What a paper says of the rows of a table, from a data file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json

Rows = Mapping[str, Mapping[str, float]]  # name of a row -> column -> value in percent, as printed

_KEYS = {"corpus": "rows", "language": "languages", "task": "tasks"}  # what a column is -> key of the file


@dataclass(frozen=True)
class Published:
    """A published table.

    Attributes:
        source: the work, and its table.
        by: what a column is (``corpus``, ``language``, ``task``) -> the rows of that table.
    """

    source: str
    by: Mapping[str, Rows] = field(default_factory=dict)

    def rows(self, by: str = "corpus") -> Rows:
        """The rows of the table with such columns; none where nothing is published of them."""
        return self.by.get(by, {})

    @property
    def corpora(self) -> list[str]:
        """Its columns, in order."""
        return list(dict.fromkeys(column for row in self.rows().values() for column in row))

    def to_json(self) -> dict[str, Any]:
        """As the file has it."""
        return {"source": self.source, **{_KEYS[by]: rows for by, rows in self.by.items()}}


def read_published(path: Path) -> Published:
    """Reads ``{"source": "MT-TaG, table 1", "rows": {"dense": {"rte": 77.9, "all": 82.1}}}``.

    Beside ``rows``, whose columns are corpora, there may be ``languages`` and ``tasks``, whose columns are those.

    Raises:
        InputError: it cannot be read, or is not of that form.
    """
    content = read_json(path)
    try:
        by = {
            column: {
                name: {column: float(value) for column, value in row.items()} for name, row in content[key].items()
            }
            for column, key in _KEYS.items()
            if key in content or key == "rows"
        }
        return Published(str(content["source"]), by)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError('expected {"source": …, "rows": {NAME: {COLUMN: percent}}}', path) from None
