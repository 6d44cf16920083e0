"""Averages of others, to be shown beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json
from skill_plugin.files.validated import validate


@dataclass(frozen=True)
class _Average:
    avg: float | None = None


@dataclass(frozen=True)
class _Condition:
    avg: float | None = None
    by_language: Mapping[str, _Average] = field(default_factory=dict)


@dataclass(frozen=True)
class Averages:
    """The averages of a file that ``analyse perturb`` or ``analyse ablate`` has written, or of one of this form.

    Attributes:
        conditions: by the names of conditions.
        title: whose they are.
    """

    conditions: Mapping[str, _Condition]
    title: str = ""

    def of(self, title: str, language: str | None) -> float | None:
        """The average of a condition over the corpora of a language, or all; None if the file does not say."""
        found = self.conditions.get(title, _Condition())
        return found.avg if language is None else found.by_language.get(language, _Average()).avg


def read_averages(path: Path) -> Averages:
    """Reads such a file; without a title it is called as the file is.

    Raises:
        InputError: no such file, or not of this form.
    """
    values = read_json(path)
    if "conditions" not in values:
        raise InputError("has no 'conditions'; expected what analyse perturb or analyse ablate has written", path)
    return validate(Averages, {"title": values.get("title", path.stem), "conditions": values["conditions"]}, path)
