"""How fairseq's functions are replaced: once each, under their own names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

DONE = "_skill_plugin_patches"


def wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """Replaces ``owner.name`` by a function that calls ``around(original, *args, **kwargs)``, once for each ``around``.

    The replacement keeps the original's module and qualified name: processes that are spawned find fairseq's functions
    by these, and a name of ours there would import the plugin before fairseq does, which then registers nothing.

    Args:
        owner: a module of fairseq's, or a class.
        name: of a function in it, or of a method; a static method is given as such.
        around: the new behaviour.
    """
    done: set[tuple[str, str]] = owner.__dict__.get(DONE, set())
    key = (name, f"{around.__module__}.{around.__qualname__}")
    if key in done:
        return
    original = getattr(owner, name)

    @functools.wraps(original)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    static = isinstance(owner.__dict__.get(name), staticmethod)
    setattr(owner, name, staticmethod(replacement) if static else replacement)
    setattr(owner, DONE, done | {key})
