"""Lists in which nothing stands twice: what is named again was meant to be something else."""

from __future__ import annotations

from collections.abc import Iterable

from skill_plugin.errors import InputError


def refuse_repeats(values: Iterable[object], option: str) -> None:
    """Checks the values of an option that is a list.

    Args:
        values: what it names.
        option: for the message, as ``--seeds``.

    Raises:
        InputError: one stands twice.
    """
    seen = set()
    for value in values:
        if value in seen:
            raise InputError(f"{option}: names {value!r} twice")
        seen.add(value)
