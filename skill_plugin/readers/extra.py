"""Packages that only some formats need."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from skill_plugin.readers.row import UnreadableError


def import_extra(name: str, what: str) -> ModuleType:
    """Imports a package of the extra ``[formats]``.

    Args:
        name: of the module.
        what: what it reads, for the message.

    Raises:
        UnreadableError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        message = f"{what} are read through {name}, which is not installed: pip install 'skill-plugin[formats]'"
        raise UnreadableError(None, message) from None
