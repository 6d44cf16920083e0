"""The page of all keys of the corpora file."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, get_args

from pydantic import BaseModel

from reference.markdown import code, table
from skill_plugin.kinds.registry import every_kind
from skill_plugin.spec import values
from skill_plugin.spec.corpora_file import KEYS as TOP
from skill_plugin.spec.formats import OPTIONS_OF_FORMATS
from skill_plugin.spec.section import CorpusSection

INTRODUCTION = """\
# Keys of the corpora file

At the top of the file stand {top}; what they are is said in [the corpora file](../corpora-file.md). The other keys are
those of one corpus. Some say something for some kinds or formats only, and are refused elsewhere. Defaults are in bold.

## Every corpus
"""
MIX = """
For [one corpus in several languages](../corpora-file.md#one-corpus-in-several-languages) there are also `mix`, a file
or a list of files for each language, and `mix_seed`, a whole number.
"""
EXPECTED = {  # type of a value -> what is expected of it
    values.Flag: "`true`, `false`",
    values.Count: "whole number from 1",
    values.Several: "whole number from 2",
    values.Size: "share or number of rows",
    values.Number: "number",
    values.Texts: "list",
    values.TextMap: "mapping",
    values.ColumnMap: "mapping",
    values.Conditions: "mapping",
    values.ClassWeights: "`balanced`, mapping",
    values.Smoothing: "number from 0 to below 1",
    values.NumberPair: "`[lowest, highest]`",
    values.OneOrMore: "value or list",
    values.Text: "text",
    values.EncodingName: "text",
    values.Separator: "text",
    values.CellSeparator: "text",
    values.Character: "one character",
    values.Pattern: "regular expression",
}
_WRITTEN = {False: "false", True: "true", " ": '" "', ",": '","', '"': "'\"'"}  # defaults as YAML has them


def keys() -> str:
    """A table of the keys of every corpus, one of those for some kinds, and one of those for some formats."""
    rows = {}
    models: list[type[BaseModel]] = [CorpusSection, *(kind.keys for kind in every_kind() if kind.keys is not None)]
    for model in models:
        meaning = meanings(model)
        for name, field in model.model_fields.items():
            key = field.alias or name
            rows[key] = (f"`{key}`", meaning[name], _values(field))
    kinds: dict[str, list[str]] = {}
    for kind in every_kind():
        for option in kind.all_options:
            kinds.setdefault(option, []).append(kind.name)
    rest = {key: row for key, row in rows.items() if key not in kinds and key not in OPTIONS_OF_FORMATS}
    header = ("key", "meaning", "values")
    return "\n".join(
        (
            INTRODUCTION.format(top=code(*TOP)),
            table(header, rest.values()),
            MIX,
            "## Kinds\n",
            table((*header, "for"), _narrowed(rows, kinds)),
            "## Formats\n",
            table((*header, "for"), _narrowed(rows, OPTIONS_OF_FORMATS)),
        )
    )


def meanings(model: type) -> dict[str, str]:
    """The texts that stand below the fields of a class."""
    (found,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    assert isinstance(found, ast.ClassDef)
    texts = {}
    for field, text in pairwise(found.body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            texts[ast.unparse(field.target)] = inspect.cleandoc(str(text.value.value))
    return texts


def _narrowed(rows: Mapping[str, tuple[str, ...]], only_for: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for key, row in rows.items():
        if key in only_for:
            yield *row, code(*only_for[key])


def _values(field: Any) -> str:
    """What is expected, with the default in bold."""
    default = "" if field.default in (None, (), {}) else code(_WRITTEN.get(field.default, field.default))
    expected = _expected(field.rebuild_annotation())
    if default and default in expected.split(", "):
        return ", ".join(f"**{one}**" if one == default else one for one in expected.split(", "))
    return ", ".join(filter(None, (expected, default and f"**{default}**")))


def _expected(annotation: Any) -> str:
    for part in (annotation, *get_args(annotation)):
        if part in EXPECTED:
            return EXPECTED[part]
        for found in getattr(part, "__metadata__", ()):
            if isinstance(found, values.OneOf):
                return code(*dict.fromkeys(found.names()))
    return ""
