"""The types of values that a corpus's keys may have, and the messages about other values."""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from skill_plugin.errors import nearest
from skill_plugin.spec.sizes import read_size
from skill_plugin.spec.yaml_lines import Mangled, explain, show

BALANCED = "balanced"  # weights of labels that follow from how often each occurs


def make_fault(message: str) -> PydanticCustomError:
    """What pydantic takes for a wrong value; the message is shown as it is."""
    return PydanticCustomError("corpora_file", "{message}", {"message": message})


def _text(value: Any) -> str:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)  # 100 is a fine label
    if isinstance(value, Mangled | bool):
        raise make_fault(explain(value))
    raise make_fault(f"expected text, not {show(value)}")


def _column(value: Any) -> str | int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return _text(value)


def _column_or_columns(value: Any) -> Any:
    if isinstance(value, dict):  # what its keys may be depends on the field
        return value
    if isinstance(value, list):
        if not value:
            raise make_fault("expected a column or a list of columns, not an empty list")
        return tuple(_column(item) for item in value)
    return _column(value)


def _flag(value: Any) -> bool:
    value = value.value if isinstance(value, Mangled) else value  # here `no` does mean false
    if not isinstance(value, bool):
        raise make_fault(f"expected true or false, not {show(value)}")
    return value


def _number(value: Any) -> float:
    value = value.value if isinstance(value, Mangled) else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise make_fault(f"expected a number, not {show(value)}")
    return float(value)


def _count(value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise make_fault(f"expected a whole number from {least}, not {show(value)}")
    return value


def _part(value: Any) -> int | float:
    size = read_size(value)
    if size is None:
        raise make_fault(f"expected a share such as 10%, or a number of rows, not {show(value)}")
    return size


def _several(value: Any) -> int:
    return _count(value, 2)


def _sequence(value: Any) -> Any:
    if not isinstance(value, list):
        raise make_fault(f"expected a list, as [a, b], not {show(value)}")
    return value


def _mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise make_fault(f"expected a mapping, as {{name: value}}, not {show(value)}")
    return value


@dataclass(frozen=True)
class OneOf:
    """A part of an annotation: the value must be one of some names.

    Attributes:
        names: gives the names. It is called when a value is checked, since other packages may register more kinds.
    """

    names: Callable[[], Iterable[str]]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def _check(self, value: str) -> str:
        if value not in self.names():  # a known one is found without asking for those of other packages
            raise make_fault(f"unknown value {value!r}{nearest(value, tuple(dict.fromkeys(self.names())))}")
        return value


def _encoding(value: str) -> str:
    try:
        b"".decode(value)
        return codecs.lookup(value).name
    except (LookupError, ValueError):
        raise make_fault(f"unknown encoding {value!r}; expected utf-8, utf-16, latin-1, gb18030 …") from None


def _separator(value: str) -> str:
    if not value or "\n" in value or "\r" in value:
        raise make_fault(f'{value!r} cannot separate cells; expected a character such as "\\t"')
    return value


def _cell_separator(value: str) -> str:
    if not value or "\n" in value:
        raise make_fault(f'{value!r} cannot separate words or labels inside a cell; expected a character such as " "')
    return value


def _pattern(value: str) -> str:
    try:
        groups = re.compile(value).groups
    except (re.error, RecursionError, OverflowError) as error:
        raise make_fault(f"{value!r} is no regular expression: {error}") from None
    if groups != 1:
        raise make_fault(f"{value!r} has {groups} groups; expected one, around the token, as (.+?)[0-9]*")
    return value


def _finite(value: Any) -> float:
    number = _number(value)
    if not math.isfinite(number):
        raise make_fault(f"expected a finite number, not {show(value)}")
    return number


def _class_weights(value: Any) -> Any:
    if value == BALANCED:
        return value
    if not isinstance(value, dict) or not value:
        raise make_fault(f"expected {BALANCED}, or a weight for labels, as {{spam: 3}}, not {show(value)}")
    return {_text(label): _weight(weight) for label, weight in value.items()}


def _weight(value: Any) -> float:
    number = _finite(value)
    if number < 0:
        raise make_fault(f"expected a weight of 0 or more, not {show(value)}")
    return number


def _smoothing(value: Any) -> float:
    number = _finite(value)
    if not 0 <= number < 1:
        raise make_fault(f"expected a number from 0 to below 1, not {show(value)}")
    return number


def _quote(value: str) -> str:
    if len(value) != 1 or value in "\r\n":
        raise make_fault(f"expected one character, not {value!r}")
    return value


Text = Annotated[str, BeforeValidator(_text)]
ColumnValue = Annotated[str | int, BeforeValidator(_column)]
Columns = Annotated[str | int | tuple[str | int, ...] | dict[Any, Any], BeforeValidator(_column_or_columns)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Number = Annotated[float, BeforeValidator(_finite)]
Count = Annotated[int, BeforeValidator(lambda value: _count(value))]
Size = Annotated[int | float, BeforeValidator(_part)]
Several = Annotated[int, BeforeValidator(_several)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_sequence)]
TextMap = Annotated[dict[Text, Text], BeforeValidator(_mapping)]
OneOrMore = Annotated[tuple[Text, ...], BeforeValidator(lambda value: value if isinstance(value, list) else [value])]
EncodingName = Annotated[Text, AfterValidator(_encoding)]
Separator = Annotated[Text, AfterValidator(_separator)]
CellSeparator = Annotated[Text, AfterValidator(_cell_separator)]
Pattern = Annotated[Text, AfterValidator(_pattern)]
Character = Annotated[Text, AfterValidator(_quote)]
Smoothing = Annotated[float, BeforeValidator(_smoothing)]
ClassWeights = Annotated[str | dict[str, float], BeforeValidator(_class_weights)]
NumberPair = Annotated[tuple[Number, Number], BeforeValidator(_sequence)]
Conditions = Annotated[dict[ColumnValue, OneOrMore], BeforeValidator(_mapping)]
ColumnMap = Annotated[dict[Text, Columns], BeforeValidator(_mapping)]
