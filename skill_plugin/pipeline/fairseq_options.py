"""Options of ``fairseq-train`` by name, as they stand on a command line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from skill_plugin.errors import InputError

Options = dict[str, tuple[str, ...]]  # option -> its values, none for a flag

_OPTION = re.compile(r"--?[A-Za-z]")
OTHER_NAMES = {
    "-a": "--arch", "--corpus-sampling": "--sampling", "--max-sentences": "--batch-size", "--learning-rate": "--lr",
}  # fmt: skip


def parse_options(words: Sequence[str]) -> Options:
    """``--lr 1e-4 --fp16`` as options; of one that is given twice the last counts, as it does for fairseq.

    Raises:
        InputError: a value without an option.
    """
    options: Options = {}
    name = None
    for word in words:
        if _OPTION.match(word):
            name, equals, value = word.partition("=")
            name = OTHER_NAMES.get(name, name)
            options[name] = (value,) if equals else ()
        elif name is None:
            raise InputError(f"expected options of fairseq-train, as --lr 1e-4, not {word!r}")
        else:
            options[name] += (word,)
    return options


def option_words(options: Mapping[str, Sequence[str]]) -> list[str]:
    """The words of a command line."""
    return [word for name, values in options.items() for word in (name, *values)]


def number_of(options: Mapping[str, Sequence[str]], name: str) -> float | None:
    """The value of an option; None where it is not given, or no number (which fairseq-train will say)."""
    try:
        return float(options[name][0])
    except (KeyError, IndexError, ValueError):
        return None
