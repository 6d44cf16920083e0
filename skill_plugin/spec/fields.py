"""One field of ``columns`` as written: a column, a list of columns, or a mapping.

::

    text_b: [title, body]                                  # joined by a space
    context: {columns: [title, paragraphs], join: "\\n"}
    label: {anger: anger_col, joy: joy_col}                # of multilabel: columns of 0 and 1, also as a list
    choices: [a, b, c]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skill_plugin.errors import nearest
from skill_plugin.kinds.kind import Kind
from skill_plugin.spec.columns import Column, Field, Flags, Joined
from skill_plugin.spec.written_corpus import WrittenCorpus
from skill_plugin.spec.yaml_lines import Mangled, explain, show

KEYS = ("columns", "join")


def read_fields(written: WrittenCorpus, columns: Mapping[str, Any], kind: Kind) -> dict[str, Field]:
    """Every field of ``columns``.

    Raises:
        InputError: the first one that cannot be, with its line.
    """
    fields = {name: _field(written, kind, name, value) for name, value in columns.items()}
    joined = [name for name, field in fields.items() if isinstance(field, Joined)]
    if wrong := kind.joined_fault(joined, fields):
        message, name = wrong
        raise written.fault(message, "columns", name)
    return fields


def _field(written: WrittenCorpus, kind: Kind, name: str, value: Any) -> Field:
    if not isinstance(value, tuple | dict):
        return value  # type: ignore[no-any-return]  # a name or number, by the section's types
    if name in kind.texts or name not in kind.columns:  # a column that is unknown is told later
        return _joined(written, name, value)
    if name in kind.flagged:
        return _flags(written, value)
    if isinstance(value, tuple) and name in kind.listed:
        return value
    what = "list" if isinstance(value, tuple) else "mapping"
    message = f"has a {what} of columns for {name!r}, which is one column; only texts, choices and the label of"
    raise written.fault(f"{message} multilabel may be several", "columns", name)


def _joined(written: WrittenCorpus, name: str, value: Any) -> Joined:
    join: Any = " "
    columns = value
    if isinstance(value, dict):
        for key in value:
            if key not in KEYS:
                message = f"has an unknown key {str(key)!r} in the column {name!r}{nearest(str(key), KEYS)}"
                raise written.fault(message, "columns", name, key)
        if "columns" not in value:
            raise written.fault(f"has no 'columns' in the column {name!r}; expected one or a list", "columns", name)
        columns, join = value["columns"], value.get("join", join)
        if not isinstance(join, str):
            message = f'has the join {show(join)} in the column {name!r}; expected text such as " "'
            raise written.fault(message, "columns", name, "join")
    listed = columns if isinstance(columns, tuple | list) else [columns]
    if not listed:
        raise written.fault(f"has no column in the list for {name!r}", "columns", name)
    found = tuple(_column(written, item, name) for item in listed)
    for column in found:
        if found.count(column) > 1:
            raise written.fault(f"names the column {column!r} twice for {name!r}", "columns", name)
    return Joined(found, join)


def _flags(written: WrittenCorpus, value: Any) -> Flags:
    if isinstance(value, tuple):
        for column in value:
            if isinstance(column, int):
                message = f"has the column {column} in the list for 'label', which does not say what label it is"
                raise written.fault(f"{message}; expected {{label: {{NAME: {column}}}}}", "columns", "label")
        value = {column: column for column in value}
    if not value:
        raise written.fault("has no column in 'label'; expected {LABEL: COLUMN}", "columns", "label")
    flags = {str(label): _column(written, column, "label", label) for label, column in value.items()}
    for label, column in flags.items():
        other = next(name for name in flags if flags[name] == column)
        if other != label:
            raise written.fault(
                f"has the column {column!r} for two labels, {other!r} and {label!r}", "columns", "label"
            )
    return Flags(flags)


def _column(written: WrittenCorpus, value: Any, *place: str | int) -> Column:
    if isinstance(value, bool | Mangled):
        raise written.fault(f"has a column that {explain(value)}", "columns", *place)
    if not isinstance(value, str | int):
        raise written.fault(f"has {show(value)} in {place[0]!r}; expected a column", "columns", *place)
    return value
