"""A query that is read together with each of its candidates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skill_plugin.text.named_texts import NamedTexts
from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.sequences.sequence_rule import SequenceLengths, SequenceRule
from skill_plugin.text.sequences.truncation import truncate_lengths


class QueryAndCandidates(SequenceRule):
    """A row becomes one sequence for each candidate: the query and its question as one text (MT-TaG, A.3.1), and the
    candidate.

    A candidate may keep at least half of the sequence. If there is a question, the query is cut first, from its end.
    In older checkpoints (``joined_question`` is false) query and question are two texts, which are cut as other texts
    are; with names they are two that are cut as one.
    """

    @property
    def texts(self) -> int:
        joined = self.joined_question and not isinstance(self.template, NamedTexts)
        return 2 if joined or "question" not in self.corpus.columns else 3

    @property
    def least_room(self) -> int:
        return 1 if self.joined_question else 0  # older checkpoints were trained without this check

    def uncut(self, sizes: RowSizes) -> SequenceLengths:
        counts = np.diff(sizes.starts)
        return SequenceLengths(np.repeat(sizes.texts.sum(axis=0) + self.special, counts) + sizes.members, counts)

    def kept(self, texts: Sequence[int], candidate: int) -> list[int]:
        """How many tokens each text of the query keeps beside a candidate, and last how many the candidate keeps."""
        lengths, truncate = [*texts, candidate], self.corpus.truncate
        if not self.joined_question:
            return truncate_lengths(lengths, self.room, truncate)
        if len(texts) > 1:
            return truncate_lengths(lengths[::-1], self.room, "right")[::-1]
        if truncate == "right":
            last = min(candidate, max(self.room - texts[0], self.room // 2))
            return [min(texts[0], self.room - last), last]
        return truncate_lengths(lengths, self.room, truncate)
