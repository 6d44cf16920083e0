"""Whether one text follows the other."""

from __future__ import annotations

from skill_plugin.nn.heads.classification import ClassificationHead


class NextSentenceHead(ClassificationHead):
    """A classification head that starts from BERT's whole one, pooler and ``cls.seq_relationship``."""
