"""A piece of the context that answers a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.data.items.items import Target
from skill_plugin.data.items.windowed import WindowedItems
from skill_plugin.data.predictions import Candidate, SpanPrediction
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow

BEST_ENDS = 20  # starts and ends of each window that are combined, as the SQuAD baselines do
N_BEST = 5


class SpanItems(WindowedItems):
    """Units of a window are its first token, which stands for "no answer here", and the context's tokens; outputs are
    logits of start and end [U, 2]. The best answer over all windows counts, and it is cut from the original text."""

    needs_example = True

    def kept(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """A question keeps ``max_question`` tokens, and leaves the context at least half of a sequence."""
        half = (self.reading.max_length - self.template.special_tokens(2)) // 2
        return np.minimum(sizes, min(self.corpus.max_question, half))

    def units(self, row: EncodedRow, windows: Sequence[tuple[int, int]], number: int, at: int) -> NDArray[np.int64]:
        start, end = windows[number]
        return np.concatenate([[0], np.arange(at, at + end - start)]).astype(np.int64)

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        """The first accepted answer that lies in the window as a whole, else unit 0."""
        windows = self.row_windows(row)[first : first + len(sequences)]
        answers = row.arrays["answer"].reshape(-1, 2)
        starts, ends = np.zeros(len(windows), np.int64), np.zeros(len(windows), np.int64)
        for i, (start, end) in enumerate(windows):
            for one, other in answers.tolist():
                if start <= one and other < end:
                    starts[i], ends[i] = one - start + 1, other - start + 1
                    break
        return {"sizes": np.array([len(s.units) for s in sequences], np.int64), "starts": starts, "ends": ends}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> SpanPrediction:
        assert example is not None
        found, null = self._best(outputs.numpy(), row, sequences)
        context, offsets = example.texts[1], row.arrays["offset"].reshape(-1, 2)
        candidates: dict[tuple[int, int], float] = {}
        for score, first, last in found:
            place = int(offsets[first, 0]), int(offsets[last, 1])
            if place[1] > place[0]:
                candidates.setdefault(place, score)
        ordered = sorted(candidates.items(), key=lambda one: -one[1])[:N_BEST]
        best = ordered[0][1] if ordered else -np.inf
        difference = float(null - best) if ordered else 0.0
        allowed = bool(self.reading.facts.get("no_answer"))
        if allowed or not ordered:
            ordered = sorted([*ordered, ((0, 0), null)], key=lambda one: -one[1])[:N_BEST]
        weights = np.exp(np.array([score for _, score in ordered]) - max(score for _, score in ordered))
        n_best = [
            Candidate(context[start:end], start, end, float(score), float(weight / weights.sum()))
            for ((start, end), score), weight in zip(ordered, weights, strict=True)
        ]
        none = not candidates or (allowed and difference > self.corpus.no_answer_threshold)
        if none:
            return SpanPrediction("", 0, 0, difference, n_best)
        chosen = next(candidate for candidate in n_best if candidate.end)
        return SpanPrediction(chosen.text, chosen.start, chosen.end, difference, n_best)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[str, list[str]]:
        assert example is not None
        predicted = self.predict(outputs, row, sequences, example).text
        return predicted, [text for _, text in cast("Sequence[tuple[int, str]]", example.answer or ())]

    def _best(
        self, outputs: NDArray[np.float32], row: EncodedRow, sequences: Sequence[EncodedSequence]
    ) -> tuple[list[tuple[float, int, int]], float]:
        """(score, first token, last token) of the best answers of each window, best first, and the score of none: the
        smallest over the windows, since one window with an answer is enough."""
        found, null, at = [], np.inf, 0
        for (start, _), sequence in zip(self.row_windows(row), sequences, strict=True):
            logits = outputs[at : at + len(sequence.units)]
            at += len(sequence.units)
            null = min(null, float(logits[0].sum()))
            firsts = np.argsort(-logits[1:, 0], kind="stable")[:BEST_ENDS]
            lasts = np.argsort(-logits[1:, 1], kind="stable")[:BEST_ENDS]
            length = lasts[None, :] - firsts[:, None]
            fits = (length >= 0) & (length < self.corpus.max_answer)
            scores = logits[1:, 0][firsts][:, None] + logits[1:, 1][lasts][None, :]
            for i, j in np.argwhere(fits).tolist():
                found.append((float(scores[i, j]), start + int(firsts[i]), start + int(lasts[j])))
        return sorted(found, key=lambda one: -one[0]), null
