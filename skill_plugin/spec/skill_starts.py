"""``skills_from`` and ``languages_from``: what new skills and languages of a checkpoint start from."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from skill_plugin.errors import InputError, nearest
from skill_plugin.spec.names import check_name
from skill_plugin.spec.yaml_lines import LinedDict, LinedList, show

RANDOM = "random"
ENCODER = "encoder"


class SkillStart(BaseModel):
    """What a new skill or language starts from; random where it names nothing.

    Attributes:
        names: skills or languages of the checkpoint; from the mean if there are several.
        encoder: the file of a pretrained encoder, whose layers it copies.
        line: its line in the corpora file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    names: tuple[str, ...]
    encoder: str | None
    line: int


def read_skill_starts(key: str, value: Any, known: Collection[str], file: Path, line: int) -> dict[str, SkillStart]:
    """What the skills or languages of a corpora file start from, as far as it says.

    Args:
        key: ``skills_from`` or ``languages_from``.
        value: its value.
        known: the skills or languages of the file.
        file: the corpora file, to which paths of encoders are relative.
        line: line of the key.

    Raises:
        InputError: written otherwise, or a skill or language that the file does not have; with its line.
    """
    what = key.partition("s_")[0]
    example = "{new: [one, other]}"
    if not isinstance(value, LinedDict) or not value:
        raise InputError(f"{key}: expected a mapping, as {example}, not {show(value)}", file, line)
    starts: dict[str, SkillStart] = {}
    for written, start in value.items():
        name, at = str(written), value.lines[written]
        if name not in known:
            raise InputError(f"{key}: unknown {what} {name!r}{nearest(name, known)}", file, at)
        if isinstance(start, LinedDict):
            if list(start) != [ENCODER] or not isinstance(start[ENCODER], str):
                message = f"{key}: {name}: expected {{encoder: FILE}}, a {what}, a list or random, not {show(start)}"
                raise InputError(message, file, at)
            starts[name] = SkillStart(names=(), encoder=str(file.parent / start[ENCODER]), line=at)
            continue
        names = tuple(check_name(one, what, file, at) for one in (start if isinstance(start, LinedList) else [start]))
        starts[name] = SkillStart(names=() if names == (RANDOM,) else names, encoder=None, line=at)
    return starts
