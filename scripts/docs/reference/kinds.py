"""The page of all kinds: columns, metrics, formats and keys."""

from __future__ import annotations

from reference.markdown import code, table
from skill_plugin.kinds.kind import ColumnSet, Kind
from skill_plugin.kinds.registry import every_kind

INTRODUCTION = """\
# Kinds

What the columns hold and how answers look is said in [kinds](../kinds.md), how a metric is counted in
[metrics](../metrics.md), what a key means in [keys](keys.md). A package of its own can [add a
kind](../contributing.md#add-a-kind).
"""


def kinds() -> str:
    """A table of all kinds, and a section for each."""
    found = list(every_kind())
    overview = table(
        ("kind", "columns (optional ones in brackets)", "metrics, the default first"),
        (
            (f"[`{kind.name}`](#{kind.name})", " or ".join(map(_columns, kind.column_sets)), code(*kind.metrics))
            for kind in found
        ),
    )
    return "\n".join((INTRODUCTION, overview, *map(_section, found)))


def _columns(columns: ColumnSet) -> str:
    optional = f" ({code(*columns.optional)})" if columns.optional else ""
    return code(*columns.needed, *columns.answers) + optional


def _section(kind: Kind) -> str:
    answers = "a test split may lack " + code(*kind.answers) if kind.answers else "there are no answers to give"
    rows = [
        ("columns", "; or ".join(map(_columns, kind.column_sets)) + f"; {answers}"),
        (
            "texts, which may be [several columns](../formats.md#several-columns-as-one)",
            code(*(name for name in kind.texts if name in kind.columns)),
        ),
        ("metrics", code(*kind.metrics)),
        ("formats", code(*kind.formats)),
        ("keys of its own", code(*kind.all_options)),
        ("labels", code(*kind.fixed_labels) or ("of the corpus" if kind.has_labels else "")),
        ("counts in `avg`", "yes" if kind.in_average else "only with `in_average: true`"),
        (
            "long texts",
            "are read in [windows](../kinds.md#long-inputs)"
            if kind.sequence_rule.windowed
            else "are [cut](../kinds.md#long-inputs)",
        ),
    ]
    about = (type(kind).__doc__ or "").splitlines()[0]
    return f"## {kind.name}\n\n{about}\n\n" + table(("", ""), (row for row in rows if row[1]))
