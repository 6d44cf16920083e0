"""What ``check`` says of texts."""

from __future__ import annotations

from collections.abc import Sequence

from skill_plugin.checking.row_findings import RowFindings
from skill_plugin.kinds.raw_text import Documents
from skill_plugin.readers import Example


class MaskedLmFindings(RowFindings):
    """A row is a text."""

    row = "text"
    rows = "texts"

    def contents(self, examples: Sequence[Example], labels: Sequence[str]) -> Documents:
        return Documents.of(examples, divided=False)
