"""Whether one text follows the other."""

from __future__ import annotations

from torch import nn

from skill_plugin.nn.heads.classification import ClassificationHead

NEXT_OR_OTHER = 2


class NextSentenceHead(ClassificationHead):
    """A classification head that starts from BERT's whole one, pooler and ``cls.seq_relationship``.

    Args:
        width, dropout, output: as for ``ClassificationHead``.
    """

    def __init__(self, width: int, dropout: float, output: type[nn.Linear] = nn.Linear) -> None:
        super().__init__(width, NEXT_OR_OTHER, dropout, output=output)
