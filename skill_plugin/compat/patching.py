"""How fairseq's functions are replaced: once each, under their own names."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

DONE = "_skill_plugin_patches"

# fairseq's programs under the names that they can have: imported, run with python -m, and in a process spawned by this
PROGRAMS = ("fairseq_cli.train", "fairseq_cli.validate", "__main__", "__mp_main__")


def wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """Replaces ``owner.name`` by a function that calls ``around(original, *args, **kwargs)``, once for each ``around``.

    The replacement keeps the original's module and qualified name: processes that are spawned find fairseq's functions
    by these, and a name of ours there would import the plugin before fairseq does, which then registers nothing.

    Args:
        owner: a module of fairseq's, or a class.
        name: name of a function in it, or of a method; a static method stays one.
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


def wrap_in_programs(around: Callable[..., Any]) -> None:
    """Wraps what fairseq's loaded programs call by the name of ``around``; a program without it is left alone.

    What a program's functions see is replaced: in a spawned process, a module's attributes are copies of these. The
    programs are not imported, since that sets up logging.
    """
    for program in PROGRAMS:
        names = getattr(getattr(sys.modules.get(program), "cli_main", None), "__globals__", {})
        original, done = names.get(around.__name__), names.setdefault(DONE, set())
        key = (around.__name__, around.__module__)
        if original is not None and key not in done:
            names[around.__name__] = _around(original, around)
            done.add(key)


def _around(original: Callable[..., Any], around: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    return replacement
