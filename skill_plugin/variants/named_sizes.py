"""Sizes that have a name."""

from __future__ import annotations

from collections.abc import Mapping

from skill_plugin.errors import InputError


def name_of(size: object, names: Mapping[str, object]) -> str | None:
    """The name of a size; None where it has none."""
    return next((name for name, known in names.items() if known == size), None)


def check_sizes(
    size: object, pretrained: object, names: Mapping[str, object], what: str, architecture: str, file: str
) -> None:
    """Checks that a model can start from a pretrained one.

    Args:
        size: of the architecture.
        pretrained: of what is in ``file``.
        names: all sizes that have a name.
        what: is in the file, for the message.
        architecture, file: their names, for the message.

    Raises:
        InputError: the two differ.
    """
    if size == pretrained:
        return
    fitting = name_of(pretrained, names)
    hint = f"; did you mean --arch {architecture.rsplit('_', 1)[0]}_{fitting}?" if fitting else ""
    raise InputError(f"{what} has {pretrained}, --arch {architecture} has {size}{hint}", file)
