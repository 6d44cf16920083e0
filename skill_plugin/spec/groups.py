"""``groups``: corpora that are one task in averages, as the two validation sets of MultiNLI in GLUE."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.names import check_name
from skill_plugin.spec.yaml_lines import LinedDict, LinedList, show


def read_groups(value: Any, corpora: Mapping[str, Corpus], file: Path, line: int) -> dict[str, tuple[str, ...]]:
    """The groups of a corpora file: name -> corpora, two or more. The name of a mix stands for its corpora.

    Raises:
        InputError: written otherwise, an unknown corpus, or one that is named twice; with its line.
    """
    if not isinstance(value, LinedDict) or not value:
        raise InputError(
            f"groups: expected lists of corpora, as {{mnli: [mnli-m, mnli-mm]}}, not {show(value)}", file, line
        )
    groups: dict[str, tuple[str, ...]] = {}
    group_of: dict[str, str] = {}
    for key, members in value.items():
        name = check_name(key, "group", file, value.lines[key])
        if name in corpora:
            raise InputError(f"the group {name!r} has the name of a corpus; rename it", file, value.lines[key])
        if not isinstance(members, LinedList):
            message = f"the group {name!r}: expected a list of corpora, not {show(members)}"
            raise InputError(message, file, value.lines[key])
        found: list[str] = []
        for member, member_line in zip(members, members.lines, strict=True):
            member_name = check_name(member, "corpus", file, member_line)
            for corpus in _corpora_of(member_name, corpora, name, file, member_line):
                if corpus in group_of:
                    message = f"the corpus {corpus!r} is in the group {group_of[corpus]!r} already; expected it once"
                    raise InputError(message, file, member_line)
                group_of[corpus] = name
                found.append(corpus)
        if len(found) < 2:
            raise InputError(f"the group {name!r}: expected two corpora or more", file, value.lines[key])
        groups[name] = tuple(found)
    return groups


def _corpora_of(member: str, corpora: Mapping[str, Corpus], group: str, file: Path, line: int) -> list[str]:
    mixed = [name for name, corpus in corpora.items() if corpus.part is not None and corpus.part.mix == member]
    if member in corpora or mixed:
        return mixed or [member]
    message = f"the group {group!r}: unknown corpus {member!r}{nearest(member, corpora)}"
    raise InputError(message, file, line)
