"""What ``check`` says of scores."""

from __future__ import annotations

from collections.abc import Sequence

from skill_plugin.checking.row_findings import RowFindings
from skill_plugin.kinds.regression.contents import Scores
from skill_plugin.readers import Example


class RegressionFindings(RowFindings):
    """Scores are numbers, which differ."""

    conflict = "have the texts of an earlier row but another score"

    def contents(self, examples: Sequence[Example], labels: Sequence[str]) -> Scores | None:
        return Scores.of(examples)

    def may_vary(self, labels: Sequence[str] | None) -> bool:
        return True
