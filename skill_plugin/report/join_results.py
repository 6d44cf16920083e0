"""Results of runs that were trained on other corpora each, as those of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.report.results import CorpusResult, Results


def join_results(parts: Mapping[Path, Results]) -> Results:
    """The results of runs that were trained on other corpora each, by their files, at least one.

    Raises:
        InputError: two have the same corpus, other splits, or other corpora in a group.
    """
    (first, one), *others = parts.items()
    if not others:
        return one
    corpora: dict[str, CorpusResult] = dict(one.corpora)
    groups: dict[str, Sequence[str]] = dict(one.groups)
    for file, other in others:
        if other.split != one.split:
            raise InputError(f"scores of {other.split}, but {first} has those of {one.split}", file)
        if twice := next((name for name in other.corpora if name in corpora), None):
            raise InputError(f"{twice!r} is in another results.json too: one run scores a corpus once", file)
        corpora |= other.corpora
        add_groups(groups, other.groups, file)
    return Results(one.split, corpora, one.weights, groups)


def add_groups(known: dict[str, Sequence[str]], more: Mapping[str, Sequence[str]], file: Path) -> None:
    """Adds the groups of other results.

    Raises:
        InputError: a group of that name has other corpora.
    """
    for name, corpora in more.items():
        if list(known.setdefault(name, corpora)) != list(corpora):
            raise InputError(f"the group {name!r} is {', '.join(corpora)}, elsewhere {', '.join(known[name])}", file)
