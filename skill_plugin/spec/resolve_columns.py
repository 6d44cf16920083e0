"""Which columns of the raw files a corpus uses, and whether they are what its kind needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from skill_plugin.errors import nearest
from skill_plugin.kinds.kind import ColumnSet, Kind
from skill_plugin.spec.columns import Field, list_columns
from skill_plugin.spec.corpus import Source
from skill_plugin.spec.fields import read_fields
from skill_plugin.spec.formats import FORMATS
from skill_plugin.spec.written_corpus import WrittenCorpus


def resolve_columns(
    written: WrittenCorpus, values: Mapping[str, Any], kind: Kind, sources: Mapping[str, Source]
) -> dict[str, Field]:
    """Meaning -> column or columns.

    Raises:
        InputError: the first fault, with its line.
    """
    if values["format"] == "lines":
        columns = _columns_of_lines(written, kind, sources)
        _check_where(
            written, values, [name for name in columns if all(name in s.inputs[0].paths for s in sources.values())]
        )
        return columns
    columns = read_fields(written, values.get("columns") or {}, kind)
    if values["format"] == "squad":
        if columns:
            raise written.fault("has format 'squad', whose columns are known; leave 'columns' out", "columns")
        _check_where(written, values, ("title", "id"))
        return {name: name for name in ("question", "context", "answers", "is_impossible", "id")}
    if values["format"] == "conll" and kind.running_text:
        return _columns_of_raw_text(written, columns, kind)
    _check_columns(written, columns, kind, values["format"], set(sources) == {"test"}, "columns")
    _check_numbers(written, values, columns)
    return columns


def _check_numbers(written: WrittenCorpus, values: Mapping[str, Any], columns: Mapping[str, Field]) -> None:
    """Whether columns may be names, or numbers, at all."""
    used = [(("columns", name), column) for name, field in columns.items() for column in list_columns(field)]
    used += [(("where", column), column) for column in values.get("where", {})]
    format_, cells = FORMATS[values["format"]], values.get("max_cells")
    for place, column in used:
        if isinstance(column, str):
            if "header" in format_.options and not values.get("header", True):
                message = f"has no header (header: false), so columns are numbers from 0, not {column!r}"
                raise written.fault(message, *place)
        elif cells is not None and not -cells <= column < cells:
            message = f"has the column {column}, but max_cells: {cells} makes columns 0 to {cells - 1}"
            raise written.fault(message, *place)
        elif column < 0 and not format_.cells:
            message = f"has the column {column}, counted from the end of a row, which the format"
            raise written.fault(f"{message} {values['format']!r} does not have", *place)
        elif column < 0 and values.get("missing_cells") == "empty":
            message = f"has the column {column}, counted from the end of a row, which missing_cells: empty leaves open"
            raise written.fault(message, *place)


def _columns_of_lines(written: WrittenCorpus, kind: Kind, sources: Mapping[str, Source]) -> dict[str, Field]:
    if "columns" in written.raw:
        example = ", ".join(f"{name}: FILE" for name in (*kind.column_sets[0].needed, *kind.column_sets[0].answers))
        message = f"has format 'lines', whose columns are named in train, valid and test: {{{example}}}"
        raise written.fault(message, "columns")
    first = next(iter(sources))
    texts = sorted(set(sources[first].inputs[0].paths) - set(kind.answers))
    for split, source in sources.items():
        for number, one in enumerate(source.inputs):
            place = (split,) if len(source.inputs) == 1 else (split, number)
            column_set = _check_columns(written, one.paths, kind, "lines", split == "test", *place)
            for name in kind.unlined:
                if name in column_set.needed or name in one.paths:
                    message = f"has the column {name!r}, which a line of text cannot hold; is the format jsonl?"
                    raise written.fault(message, *place, name)
            if one.paths.keys() != source.inputs[0].paths.keys():
                raise written.fault(f"has other columns here than in the first files of {split}", *place)
            if sorted(set(one.paths) - set(kind.answers)) != texts:
                raise written.fault(f"has other columns in {split} than in {first}", split)
    order = dict.fromkeys(name for source in sources.values() for name in source.inputs[0].paths)
    return {name: name for name in order}


def _columns_of_raw_text(written: WrittenCorpus, columns: Mapping[str, Field], kind: Kind) -> dict[str, Field]:
    """Running text of a conll file: its ``# text =`` comments, or else the tokens joined."""
    for name in columns:
        if name != "token":
            message = f"has an unknown column {name!r}; expected {{token: 1}} to join the tokens, or no columns"
            raise written.fault(f"{message} for the comments '# text ='", "columns", name)
    return {**{name: name for name in kind.running_text}, **columns}


def _check_columns(
    written: WrittenCorpus, columns: Collection[str], kind: Kind, format_: str, without_answers: bool, *place: str | int
) -> ColumnSet:
    """The set of columns that is meant, which stand at ``place`` in the corpus.

    Raises:
        InputError: a column that the kind does not have, that does not go with the others, or that is missing.
    """
    where = "" if place[0] == "columns" else f" in {place[0]}"
    for name in columns:
        if name not in kind.columns:
            message = f"has an unknown column {name!r}{nearest(name, kind.columns)}"
            raise written.fault(message, *place, name)
    column_set = kind.column_set(columns)
    missing = next((name for name in column_set.needed if name not in columns), None)
    if missing is not None:
        instead = [s for s in kind.column_sets if missing not in s.needed]
        either = "".join(f" or {' and '.join(repr(name) for name in s.needed)}" for s in instead)
        message = f"misses the column {missing!r}{either}{where}, which the kind {kind.name!r} needs"
        raise written.fault(message, *place)
    for name in columns:
        if name not in column_set.columns:
            message = f"has the column {name!r}, which does not go with {', '.join(column_set.needed)}"
            raise written.fault(f"{message}{nearest(name, column_set.columns)}", *place, name)
    if not without_answers and column_set.answers and not any(name in columns for name in column_set.answers):
        either = " or ".join(repr(name) for name in column_set.answers)
        raise written.fault(f"misses the column {either}{where}, which the kind {kind.name!r} needs", *place)
    kind.check_columns(written, columns, format_, *place)
    return column_set


def _check_where(written: WrittenCorpus, values: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in values.get("where", {}):
        if name not in known:
            message = f"has an unknown column {name!r} in 'where'{nearest(str(name), known)}"
            raise written.fault(message, "where", name)
