"""The page of all options that the plugin adds to ``fairseq-train``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

from reference.markdown import code, table, with_options_as_code

if TYPE_CHECKING:
    from skill_plugin.options.option_row import OptionRow

INTRODUCTION = """\
# Options of fairseq-train

These are the options that the plugin adds to fairseq's own. What they are for is said in
[training](../training/index.md), in [sampling](../training/sampling.md) and on the pages of the works. A default of
`paper` is what was published for the variant.
"""


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """fairseq, when it is imported, has everything logged that any library says, and warns of what it misses."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
    root.handlers[:], root.level = handlers, level


def options() -> str:
    """A table for each group of options."""
    with _logging_as_it_was():
        from skill_plugin.tasks.option_rows import option_rows

    page = [INTRODUCTION]
    for group, rows in groupby(option_rows(), key=lambda row: row.group):
        page.append(f"## {group[0].upper()}{group[1:]}\n")
        page.append(table(("option", "meaning", "values", "default"), map(_row, rows)))
    return "\n".join(page)


def _row(row: OptionRow) -> tuple[str, str, str, str]:
    return (
        f"`{row.flag}`",
        with_options_as_code(row.help),
        code(*row.choices) or row.allowed or {"bool": "", "str": "text"}.get(row.type, row.type),
        "" if row.type == "bool" else row.default,
    )
