"""A corpus as a person writes it: the keys of one section of the corpora file and the types of their values."""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.registry import every_format, every_metric, every_value, kind_names
from skill_plugin.spec.mix import KEYS as MIX_KEYS
from skill_plugin.spec.tag_schemes import SCHEMES
from skill_plugin.spec.yaml_lines import LinedDict, LinedList, Mangled, explain, show


def _fault(message: str) -> PydanticCustomError:
    return PydanticCustomError("corpora_file", "{message}", {"message": message})


def _text(value: Any) -> str:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)  # 100 is a fine label
    if isinstance(value, Mangled | bool):
        raise _fault(explain(value))
    raise _fault(f"expected text, not {show(value)}")


def _column(value: Any) -> str | int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return _text(value)


def _column_or_columns(value: Any) -> Any:
    if isinstance(value, dict):  # what its keys may be depends on the field
        return value
    if isinstance(value, list):
        if not value:
            raise _fault("expected a column or a list of columns, not an empty list")
        return tuple(_column(item) for item in value)
    return _column(value)


def _flag(value: Any) -> bool:
    value = value.value if isinstance(value, Mangled) else value  # here `no` does mean false
    if not isinstance(value, bool):
        raise _fault(f"expected true or false, not {show(value)}")
    return value


def _number(value: Any) -> float:
    value = value.value if isinstance(value, Mangled) else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _fault(f"expected a number, not {show(value)}")
    return float(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _fault(f"expected a whole number from 1, not {show(value)}")
    return value


def _several(value: Any) -> int:
    if _count(value) < 2:
        raise _fault(f"expected a whole number from 2, not {show(value)}")
    return int(value)


def _sequence(value: Any) -> Any:
    if not isinstance(value, list):
        raise _fault(f"expected a list, as [a, b], not {show(value)}")
    return value


def _mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise _fault(f"expected a mapping, as {{name: value}}, not {show(value)}")
    return value


def _one_of(known: Callable[[], Iterable[str]]) -> AfterValidator:
    def check(value: str) -> str:
        if value not in known():
            raise _fault(f"unknown value {value!r}{nearest(value, list(dict.fromkeys(known())))}")
        return value

    return AfterValidator(check)


def _encoding(value: str) -> str:
    try:
        b"".decode(value)
        return codecs.lookup(value).name
    except (LookupError, ValueError):
        raise _fault(f"unknown encoding {value!r}; expected utf-8, utf-16, latin-1, gb18030 …") from None


def _separator(value: str) -> str:
    if not value or "\n" in value or "\r" in value:
        raise _fault(f'{value!r} cannot separate cells; expected a character such as "\\t"')
    return value


def _cell_separator(value: str) -> str:
    if not value or "\n" in value:
        raise _fault(f'{value!r} cannot separate words or labels inside a cell; expected a character such as " "')
    return value


def _pattern(value: str) -> str:
    try:
        groups = re.compile(value).groups
    except (re.error, RecursionError, OverflowError) as error:
        raise _fault(f"{value!r} is no regular expression: {error}") from None
    if groups != 1:
        raise _fault(f"{value!r} has {groups} groups; expected one, around the token, as (.+?)[0-9]*")
    return value


def _finite(value: Any) -> float:
    number = _number(value)
    if not math.isfinite(number):
        raise _fault(f"expected a finite number, not {show(value)}")
    return number


def _quote(value: str) -> str:
    if len(value) != 1 or value in "\r\n":
        raise _fault(f"expected one character, not {value!r}")
    return value


Text = Annotated[str, BeforeValidator(_text)]
Column = Annotated[str | int, BeforeValidator(_column)]
Columns = Annotated[str | int | tuple[str | int, ...] | dict[Any, Any], BeforeValidator(_column_or_columns)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Number = Annotated[float, BeforeValidator(_finite)]
Count = Annotated[int, BeforeValidator(_count)]
Several = Annotated[int, BeforeValidator(_several)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_sequence)]
TextMap = Annotated[dict[Text, Text], BeforeValidator(_mapping)]
OneOrMore = Annotated[tuple[Text, ...], BeforeValidator(lambda value: value if isinstance(value, list) else [value])]


class CorpusSection(BaseModel):
    """The keys of one corpus; ``model_fields_set`` says which of them were written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shares: Text | None = Field(None, alias="as")
    kind: Annotated[Text, _one_of(kind_names)] | None = None
    language: Any = None  # checked as a name by the resolver
    skills: Texts = ()
    labels: Texts | None = None
    metric: Annotated[Text, _one_of(every_metric)] | None = None
    head: Any = None
    gate_from: OneOrMore = ()
    head_from: OneOrMore = ()
    embedding_from: OneOrMore = ()
    positive_label: Text | None = None
    label_map: TextMap = {}
    drop_labels: Texts = ()
    placeholders: OneOrMore = ()
    score_range: Annotated[tuple[Number, Number], BeforeValidator(_sequence)] | None = None
    score_scale: Annotated[Text, _one_of(lambda: ("normalised", "raw"))] = "normalised"
    scheme: Annotated[Text, _one_of(lambda: SCHEMES)] | None = None
    lenient: Flag = False
    join: Annotated[Text, _one_of(lambda: ("space", "none"))] | None = None
    label_separator: Annotated[Text, AfterValidator(_cell_separator)] = ","
    word_separator: Annotated[Text, AfterValidator(_cell_separator)] = " "
    pattern: Annotated[Text, AfterValidator(_pattern)] | None = None
    offsets: Annotated[Text, _one_of(lambda: ("characters", "words"))] = "characters"
    loss: Annotated[Text, _one_of(lambda: every_value("loss"))] = "pointwise"
    grades: Several | None = None
    ranked_by: Annotated[Text, _one_of(lambda: every_value("ranked_by"))] | None = None
    without_positive: Annotated[Text, _one_of(lambda: ("left_out", "zero"))] = "left_out"
    max_question: Count = 64
    max_answer: Count = 30
    no_answer_threshold: Number = 0.0
    in_average: Flag | None = None
    max_length: Count | None = None
    truncate: Annotated[Text, _one_of(lambda: ("longest", "right"))] = "longest"
    stride: Count | None = None
    format: Annotated[Text, _one_of(every_format)] | None = None
    header: Flag = True
    quoting: Annotated[Text, _one_of(lambda: ("none", "csv"))] | None = None
    separator: Annotated[Text, AfterValidator(_separator)] | None = None
    quote: Annotated[Text, AfterValidator(_quote)] = '"'
    escape: Annotated[Text, AfterValidator(_quote)] | None = None
    extra_cells: Annotated[Text, _one_of(lambda: ("error", "drop"))] = "error"
    missing_cells: Annotated[Text, _one_of(lambda: ("error", "empty"))] = "error"
    encoding: Annotated[Text, AfterValidator(_encoding)] = "utf-8"
    max_cells: Several | None = None
    rows: Text | None = None
    each: Text | None = None
    where: Annotated[dict[Column, OneOrMore], BeforeValidator(_mapping)] = {}
    on_bad_row: Annotated[Text, _one_of(lambda: ("error", "skip"))] = "error"
    columns: Annotated[dict[Text, Columns], BeforeValidator(_mapping)] | None = None
    split: Any = None  # read by ``read_cut``
    train: Any = None
    valid: Any = None
    test: Any = None


KEYS = tuple(field.alias or name for name, field in CorpusSection.model_fields.items())


def read_section(name: str, raw: LinedDict, file: Path) -> CorpusSection:
    """Checks the keys and the types of the values of one corpus.

    Raises:
        InputError: the fault that stands first in the file.
    """
    for key in raw:
        if key == "mix_seed":
            raise InputError(f"corpus {name!r} has a 'mix_seed' but no 'mix'", file, raw.lines[key])
        if key not in KEYS:
            known = nearest(str(key), (*KEYS, *MIX_KEYS))
            raise InputError(f"corpus {name!r}: unknown key {str(key)!r}{known}", file, raw.lines[key])
        if raw[key] is None:
            raise InputError(f"corpus {name!r}: {key!r} has no value", file, raw.lines[key])
    try:
        return CorpusSection.model_validate(raw)
    except ValidationError as error:
        faults = [(line_at(raw, fault["loc"]), str(fault["loc"][0]), fault["msg"]) for fault in error.errors()]
        line, key, message = min(faults)
        raise InputError(f"corpus {name!r}: {key}: {message}", file, line) from None


def line_at(raw: Any, location: tuple[str | int, ...]) -> int:
    """The line of the key or item that a path of keys and indices leads to, as far as it can be followed."""
    line: int = raw.line
    for part in location:
        key: Any = part
        if isinstance(raw, LinedDict) and key not in raw:  # the validated key "0" was written 0
            key = next((written for written in raw if str(written) == str(part)), None)
        if key is None or not isinstance(raw, LinedDict | LinedList) or key == "[key]":
            break
        if isinstance(raw, LinedList) and not isinstance(key, int):
            break
        line = raw.lines[key]
        raw = raw[key]
    return line
