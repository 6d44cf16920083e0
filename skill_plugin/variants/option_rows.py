"""The options of the model as rows of a table, for the documentation."""

from __future__ import annotations

from skill_plugin.options.option import Option
from skill_plugin.options.option_row import OptionRow
from skill_plugin.variants.default_words import default_words
from skill_plugin.variants.model_options import GROUPS


def model_option_rows() -> list[OptionRow]:
    """Every option of the model, group by group."""
    return [_row(group.title, one) for group in GROUPS for one in group.own().values()]


def _row(group: str, option: Option) -> OptionRow:
    return OptionRow(
        group=group,
        flag=option.flag,
        type=option.type.__name__,
        allowed="" if option.allowed is None else str(option.allowed),
        choices=option.choices,
        default=default_words(option) or ("" if option.default is None else str(option.default)),
        help=option.help,
    )
