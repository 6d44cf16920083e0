"""What ``check`` says of reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skill_plugin.checking.contents import Contents
from skill_plugin.checking.row_findings import RowFindings
from skill_plugin.readers import Example


@dataclass(frozen=True)
class Stars(Contents):
    given: int

    def summary(self) -> str:
        return f"{self.given} stars in all"

    def named(self, labels: Mapping[str, int]) -> tuple[Mapping[str, int], str]:
        return {}, ""


class StarsFindings(RowFindings):
    row = "review"
    rows = "reviews"
    conflict = "are written twice, with other stars"

    def contents(self, examples: Sequence[Example], labels: Sequence[str]) -> Stars:
        return Stars(sum(sum(map(int, example.answer or ())) for example in examples))  # type: ignore[arg-type]
