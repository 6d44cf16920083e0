"""A piece of the context that answers a question.

Axes: T tokens of the context, S spans that begin at a token (1 to ``max_answer`` tokens long).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.kinds.items import Target, Told
from skill_plugin.kinds.span.answer import Candidate, SpanPrediction
from skill_plugin.kinds.span.keys import SpanKeys
from skill_plugin.kinds.windowed import WindowedItems, Windows
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow, Ids
from skill_plugin.text.spans import find_character_range

N_BEST = 5
_LOOKED_AT = 100  # of the best spans, some of which are the same characters


class SpanItems(WindowedItems):
    """Units of a window are its first token, which stands for "no answer here", and the context's tokens; outputs are
    logits of start and end [U, 2]. The best span of all windows is the answer, cut from the original text."""

    needs_example = True
    reads_first_token = True

    def tokens_read(self, row: EncodedRow, windows: Windows, numbers: range) -> list[NDArray[np.int64]]:
        return [np.arange(*windows[number], dtype=np.int64) for number in numbers]

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        """The first accepted answer that lies in the window as a whole, else unit 0."""
        windows = self.row_windows(row)[first : first + len(sequences)]
        answers = row.arrays["answer"].reshape(-1, 2).tolist()
        places = [
            next(((one - start + 1, last - start + 1) for one, last in answers if start <= one and last < end), (0, 0))
            for start, end in windows
        ]
        starts, ends = np.array(places, np.int64).T
        return {"sizes": np.array([len(s.units) for s in sequences], np.int64), "starts": starts, "ends": ends}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> SpanPrediction:
        assert example is not None
        scores, none = self._scores(outputs.numpy(), row)
        found = _best(scores, row.arrays["offset"].reshape(-1, 2))
        allowed = bool(self.reading.facts.get("no_answer"))
        difference = none - found[0][0] if found else 0.0
        ranked = sorted([*found, (none, 0, 0)], key=lambda one: -one[0])[:N_BEST] if allowed or not found else found
        weights = np.exp(np.array([score for score, _, _ in ranked]) - ranked[0][0])
        n_best = [
            Candidate(example.texts[1][start:end], start, end, score, float(weight / weights.sum()))
            for (score, start, end), weight in zip(ranked, weights, strict=True)
        ]
        answered = bool(found) and not (allowed and difference > self._threshold)
        chosen = next((one for one in n_best if bool(one.end) == answered), Candidate("", 0, 0, none, 0.0))
        return SpanPrediction(chosen.text, chosen.start, chosen.end, chosen.probability, difference, n_best)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[str, list[str]]:
        assert example is not None
        predicted = self.predict(outputs, row, sequences, example).text
        return predicted, [text for _, text in cast("Sequence[tuple[int, str]]", example.answer or ())]

    def tell(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Told:
        answer, right = self.score(outputs, row, sequences, example)
        wrong = answer not in right if right else bool(answer)
        return Told(answer or "(no answer)", " | ".join(dict.fromkeys(right)) or "(no answer)", wrong)

    @property
    def _threshold(self) -> float:
        """That which was chosen on held-out data, or that of the corpora file."""
        return (*self.reading.calibration.thresholds, SpanKeys.of(self.corpus).no_answer_threshold)[0]

    def _scores(self, outputs: NDArray[np.float32], row: EncodedRow) -> tuple[NDArray[np.float32], float]:
        """Scores of all spans, the better one where two windows hold a span, and the score of no answer.

        Returns:
            Sums of both logits [T, S], of the span from token t to token t + s; minus infinity where no window holds a
            span; and the smallest sum of the first tokens' logits, since an answer is in few of the windows only.
        """
        windows = self.row_windows(row)
        longest = min(SpanKeys.of(self.corpus).max_answer, max(end - start for start, end in windows))
        scores = np.full((len(row.texts[1]), longest), -np.inf, np.float32)
        none, at = np.inf, 0
        for start, end in windows:
            logits = outputs[at : at + 1 + end - start]
            at += len(logits)
            none = min(none, float(logits[0].sum()))
            firsts, lasts = logits[1:].T
            for more in range(min(longest, end - start)):  # tokens after the first
                known = scores[start : end - more, more]
                np.maximum(known, firsts[: len(firsts) - more] + lasts[more:], out=known)
        return scores, none


def _best(scores: NDArray[np.float32], offsets: Ids) -> list[tuple[float, int, int]]:
    """The best spans as (score, first character, one past the last), best first; of equals the earlier and shorter.

    Args:
        scores: of spans of tokens [T, S].
        offsets: characters of each token [T, 2]. Spans that begin or end with a token that stands for nothing visible
            are passed over: without it they are the same characters.
    """
    ink = offsets[:, 0] < offsets[:, 1]
    ends = np.arange(len(scores))[:, None] + np.arange(scores.shape[1])
    known = np.isfinite(scores) & ink[:, None] & ink[np.minimum(ends, len(scores) - 1)]
    flat = np.flatnonzero(known)
    values = scores.reshape(-1)[flat]
    if len(flat) > _LOOKED_AT:
        kept = values >= np.partition(values, -_LOOKED_AT)[-_LOOKED_AT]
        flat, values = flat[kept], values[kept]
    found: dict[tuple[int, int], float] = {}
    for i in np.argsort(-values, kind="stable"):
        first, length = divmod(int(flat[i]), scores.shape[1])
        found.setdefault(find_character_range(offsets, first, first + length + 1), float(values[i]))
        if len(found) == N_BEST:
            break
    return [(score, start, end) for (start, end), score in found.items()]
