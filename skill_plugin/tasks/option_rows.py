"""All options that the plugin adds to fairseq's, as rows of a table, for the documentation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from enum import Enum
from typing import Any, get_args

from skill_plugin.criterions.multitask_cross_entropy import MultitaskCrossEntropyConfig
from skill_plugin.criterions.multitask_r3f import MultitaskR3FConfig
from skill_plugin.optim.adafactor import AdafactorConfig
from skill_plugin.options.flag import flag_of
from skill_plugin.options.option_row import OptionRow
from skill_plugin.tasks.multilingual_multitask_config import MultilingualMultitaskConfig
from skill_plugin.variants.option_rows import model_option_rows


def option_rows() -> list[OptionRow]:
    """The options of the task, of the model, of the criterions and of ``adafactor``, in this order."""
    common = _own(MultitaskCrossEntropyConfig)
    r3f = [one for one in _own(MultitaskR3FConfig) if one.name not in {other.name for other in common}]
    return [
        *_rows("task", _own(MultilingualMultitaskConfig)),
        *model_option_rows(),
        *_rows("criterions", common),
        *_rows("criterion multitask_r3f", r3f),
        *_rows("optimizer adafactor", _own(AdafactorConfig)),
    ]


def _own(config: Any) -> list[Field[Any]]:
    """Without the fields that follow an option of fairseq's."""
    return [one for one in fields(config) if "help" in one.metadata]


def _rows(group: str, options: Iterable[Field[Any]]) -> list[OptionRow]:
    return [_row(group, one) for one in options]


def _row(group: str, option: Field[Any]) -> OptionRow:
    kind: Any = next(iter(get_args(option.type)), option.type)  # of an Optional what it may be
    choices = tuple(one.value for one in kind) if issubclass(kind, Enum) else ()
    positional = option.name == "data"  # fairseq's one argument without a flag
    return OptionRow(
        group=group,
        flag=option.name if positional else flag_of(option.name),
        type="str" if choices else kind.__name__,
        allowed=str(option.metadata.get("allowed", "")),
        choices=choices,
        default="" if positional or option.default in (None, MISSING) else str(option.default),
        help=option.metadata["help"],
    )
