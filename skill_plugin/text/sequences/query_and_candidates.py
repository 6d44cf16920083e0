"""A query that is read together with each of its candidates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.sequences.sequence_rule import SequenceLengths, SequenceRule
from skill_plugin.text.sequences.truncation import truncate_lengths


class QueryAndCandidates(SequenceRule):
    """A sequence a candidate: the query with its question as one text (MT-TaG, A.3.1), and the candidate.

    A candidate keeps half of the sequence; with a question only the query before it is cut, from its end, as long as
    there is anything of it. Checkpoints of before (``joined_question`` is false) keep query and question apart, and cut
    them as other texts.
    """

    @property
    def texts(self) -> int:
        return 2 if self.joined_question or "question" not in self.corpus.columns else 3

    @property
    def least_room(self) -> int:
        return 1 if self.joined_question else 0  # those were trained without a look at it

    def uncut(self, sizes: RowSizes) -> SequenceLengths:
        counts = np.diff(sizes.starts)
        return SequenceLengths(np.repeat(sizes.texts.sum(axis=0) + self.special, counts) + sizes.members, counts)

    def kept(self, texts: Sequence[int], candidate: int) -> list[int]:
        """How many of its tokens each text of the query keeps beside a candidate, and last those of the candidate."""
        lengths, truncate = [*texts, candidate], self.corpus.truncate
        if not self.joined_question:
            return truncate_lengths(lengths, self.room, truncate)
        if len(texts) > 1:
            return truncate_lengths(lengths[::-1], self.room, "right")[::-1]
        if truncate == "right":
            last = min(candidate, max(self.room - texts[0], self.room // 2))
            return [min(texts[0], self.room - last), last]
        return truncate_lengths(lengths, self.room, truncate)
