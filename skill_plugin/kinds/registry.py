"""Which package each kind is. Nothing outside a kind's package knows kinds by name.

A kind is imported when it is asked for. Kinds of other packages (``kinds/kind.py`` says how they are registered) are
looked for only where those here do not answer, since going through all installed packages takes time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skill_plugin.kinds.kind import Kind

GROUP = "skill_plugin.kinds"  # of entry points

_PACKAGES = {
    "classification": "skill_plugin.kinds.classification",
    "multilabel": "skill_plugin.kinds.multilabel",
    "regression": "skill_plugin.kinds.regression",
    "ranking": "skill_plugin.kinds.ranking",
    "labelling": "skill_plugin.kinds.labelling",
    "span": "skill_plugin.kinds.span",
    "word_in_context": "skill_plugin.kinds.word_in_context",
    "masked_lm": "skill_plugin.kinds.masked_lm",
    "next_sentence": "skill_plugin.kinds.next_sentence",
}


@cache
def kind_named(name: str) -> Kind:
    """The kind with this name.

    Raises:
        KeyError: there is none.
        InputError: it is of another package, and cannot be loaded.
    """
    package = _PACKAGES.get(name)
    return _load(_installed()[name]) if package is None else import_module(package).KIND


def kind_names() -> Iterator[str]:
    """Names of all kinds, those of other packages last."""
    yield from _PACKAGES
    yield from _installed()


def every_kind() -> Iterator[Kind]:
    """All kinds, in the order of ``kind_names``."""
    return map(kind_named, kind_names())


def every_format() -> Iterator[str]:
    """Raw formats of all kinds, some several times."""
    return (name for kind in every_kind() for name in kind.formats)


def every_metric() -> Iterator[str]:
    """Metrics of all kinds, some several times."""
    return (name for kind in every_kind() for name in kind.metrics)


def is_cost(metric: str) -> bool:
    """Whether less of a metric is better (``Kind.costs``); not so of one that no kind has, such as an average."""
    return next((metric in kind.costs for kind in every_kind() if metric in kind.metrics), False)


def is_cost_of_corpus(name: str) -> bool:
    """``is_cost`` of a metric that is called as in logs, ``<corpus>_<metric>``."""
    return any(name.endswith(f"_{metric}") for kind in every_kind() for metric in kind.costs)


def kinds_with(option: str) -> list[str]:
    """The kinds of these packages with an option that only some have; none for one that all have, or that is none."""
    return [name for name in _PACKAGES if option in kind_named(name).all_options]


def kinds_that_bring(option: str) -> list[str]:
    """The kinds that bring an option themselves; those of other packages only if none here does."""
    here = [name for name in _PACKAGES if option in kind_named(name).own_options]
    return here or [name for name in _installed() if option in kind_named(name).own_options]


def every_own_option() -> Iterator[str]:
    """The keys of the corpora file that kinds bring themselves, some several times."""
    return (option for kind in every_kind() for option in kind.own_options)


def register_kind(name: str, package: str) -> None:
    """Registers a kind for this process alone."""
    _PACKAGES[name] = package


def forget_kind(name: str) -> None:
    """Takes out what ``register_kind`` put in."""
    del _PACKAGES[name]
    kind_named.cache_clear()


def _load(point: EntryPoint) -> Kind:
    from skill_plugin.errors import InputError
    from skill_plugin.kinds.kind import Kind
    from skill_plugin.spec.section import KEYS

    package = point.dist.name if point.dist else point.value
    where = f"the kind {point.name!r} of the installed package {package}"
    try:
        kind = getattr(import_module(point.value), "KIND", None)
    except Exception as error:  # whatever another's code does when it is imported
        reason = f"{type(error).__name__}: {error}".strip().split("\n")[0]
        raise InputError(f"{where} cannot be loaded: importing {point.value} ends in {reason}") from error
    if not isinstance(kind, Kind) or kind.name != point.name:
        has = "no KIND" if kind is None else f"the KIND {getattr(kind, 'name', kind)!r}"
        raise InputError(f"{where} cannot be loaded: {point.value} has {has}; expected a Kind named {point.name!r}")
    if taken := [key for key in kind.own_options if key in KEYS]:
        raise InputError(f"{where} cannot be loaded: it brings the key {taken[0]!r}, which corpora of all kinds have")
    return kind


@cache
def _installed() -> dict[str, EntryPoint]:
    """Kinds of other packages, in the order of their names; a name that is taken here stays what it is."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    return {name: found[name] for name in sorted(found) if name not in _PACKAGES}
