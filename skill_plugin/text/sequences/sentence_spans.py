"""Documents that are read as pairs of texts: spans of sentences that fill a sequence, each of which is cut in two.

Axes: n sentences of all documents, D documents, S spans.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from skill_plugin.text.sequences.joined_texts import JoinedTexts
from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.sequences.sequence_rule import SequenceLengths
from skill_plugin.text.windows import Counts


class SentenceSpans(JoinedTexts):
    """A row is a document, and its members are sentences. Each span of sentences becomes a sequence of two texts.

    A pair may be shorter than its span, if another text is drawn in place of the second one.
    """

    single = False

    @property
    def texts(self) -> int:
        return 2

    def check_texts(self, found: int) -> None:
        """Documents have sentences, and no texts."""

    @classmethod
    def sizes(cls, texts: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]) -> RowSizes:
        return RowSizes.of([()] * len(texts), texts)

    def spans(self, sizes: RowSizes) -> Counts:
        """The first sentence and one past the last of each span [S, 2]; see ``fill_spans``."""
        return fill_spans(sizes.members, sizes.starts, self.room)

    def uncut(self, sizes: RowSizes) -> SequenceLengths:
        spans = self.spans(sizes)
        documents = np.searchsorted(sizes.starts, spans[:, 0], side="right") - 1
        counts = np.bincount(documents, minlength=len(sizes))
        return SequenceLengths(self.span_lengths(sizes.members, spans), counts.astype(np.int64))

    def span_lengths(self, sentences: Counts, spans: Counts) -> Counts:
        """The tokens of each span's sequence before it is cut [S], from the sizes of sentences [n] and spans [S, 2]."""
        return sum_spans(sentences, spans) + self.special


def fill_spans(sizes: npt.ArrayLike, starts: npt.ArrayLike, room: int) -> Counts:
    """Divides every document into spans of two sentences or more, each as long as fits.

    A span begins after the span before it. If only the last sentence of a document is left, the span begins one
    sentence earlier, which is then in two spans. A document of one sentence has no span.

    Args:
        sizes: tokens of each sentence [n].
        starts: the number of each document's first sentence, and n at the end [D + 1].
        room: the tokens of both texts that a sequence has room for; a span of two sentences may be longer.

    Returns:
        The first sentence and one past the last of each span [S, 2], in order.

    >>> fill_spans([3, 3, 3, 9, 9, 1], [0, 4, 5, 6], 9).tolist()
    [[0, 3], [2, 4]]
    """
    totals = np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).tolist()
    bounds = np.asarray(starts, np.int64).tolist()
    found: list[tuple[int, int]] = []
    for first, end in pairwise(bounds):
        at = first
        while end - at >= 2:
            last = max(at + 2, bisect_right(totals, totals[at] + room, at, end + 1) - 1)
            found.append((at, last))
            at = last if end - last != 1 else end - 2
    return np.array(found, np.int64).reshape(-1, 2)


def sum_spans(sizes: npt.ArrayLike, spans: Counts) -> Counts:
    """The tokens of each span [S], from the sizes of sentences [n] and the spans [S, 2]."""
    totals = np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64)
    return totals[spans[:, 1]] - totals[spans[:, 0]]
