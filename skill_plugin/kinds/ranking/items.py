"""The candidates of a query, each read together with it; they all travel in one pack."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from skill_plugin.kinds.items import Items, Lengths, Target
from skill_plugin.kinds.ranking.answer import RankingPrediction
from skill_plugin.kinds.ranking.metric import Ranked
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow, Ids
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.template import kept_lengths


class RankingItems(Items):
    """A sequence a candidate: query (with its question, as one text, MT-TaG A.3.1) and candidate.

    What is too long is cut as the corpus says, but a candidate keeps half of the sequence; with a question only the
    query before it is cut, from its end, as long as there is anything of it.

    Outputs are logits [candidates, 2] of wrong and right (``loss: pointwise``), [candidates, G] of the grades
    (``loss: graded``) or scores [candidates, 1] (``loss: listwise``).
    """

    def lengths(self, split: StoredSplit) -> Lengths:
        assert split.members is not None
        counts = np.diff(split.members[1])
        apart = 2 if self.reading.joined_question else len(split.texts) + 1
        own = np.sum(split.text_sizes, axis=0) + self.template.special_tokens(apart)
        total = np.repeat(own, counts) + split.member_sizes
        return Lengths(np.minimum(total, self.reading.max_length), counts)

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        members = row.members if only is None else row.members[only : only + 1]
        found = []
        for member in members:
            texts = self._cut(row.texts, member) if self.reading.joined_question else (*row.texts, member)
            assembled = self.template.assemble(texts, self.reading.max_length, self.corpus.truncate)
            found.append(EncodedSequence(assembled.tokens, assembled.token_types))
        return found

    def _cut(self, texts: Sequence[Ids], candidate: Ids) -> tuple[Ids, Ids]:
        """Query with its question, and candidate, of which no more is to be cut."""
        room = max(self.reading.max_length - self.template.special_tokens(2), 0)
        lengths = [len(text) for text in (*texts, candidate)]
        if len(texts) > 1:
            kept = kept_lengths(lengths[::-1], room, "right")[::-1]
        elif self.corpus.truncate == "right":
            last = min(lengths[1], max(room - lengths[0], room // 2))
            kept = [min(lengths[0], room - last), last]
        else:
            kept = kept_lengths(lengths, room, self.corpus.truncate)
        *before, answer = [text[:length] for text, length in zip((*texts, candidate), kept, strict=True)]
        return np.concatenate(before), answer

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        relevance = row.arrays["relevance"].astype(np.int64)
        if self.corpus.loss == "graded":  # a grade that the data of the run do not have is taken for their highest
            grades = self.corpus.grades or self.reading.facts["grades"]
            relevance = np.minimum(relevance, grades - 1)
        return {
            "relevance": relevance,
            "sizes": np.array([len(sequences)], np.int64),
        }

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> RankingPrediction:
        scores = self._scores(outputs)
        order = sorted(range(len(scores)), key=lambda i: -scores[i])
        return RankingPrediction(order[0], order, scores, self._relevant(outputs, scores))

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[Ranked, list[int]]:
        scores = self._scores(outputs)
        return Ranked(scores, self._relevant(outputs, scores)), row.arrays["relevance"].tolist()

    def _relevant(self, outputs: Tensor, scores: Sequence[float]) -> list[bool]:
        if self.corpus.loss == "listwise":  # shares of one whole say nothing of each candidate alone
            return [score == max(scores) for score in scores]
        found: list[bool] = (self.family.probabilities(outputs)[:, 0] < 0.5).tolist()
        return found

    def _scores(self, outputs: Tensor) -> list[float]:
        """What the candidates are ordered by."""
        probabilities = self.family.probabilities(outputs)
        match self.corpus.ranked_by:
            case "probability":
                return probabilities[:, 1].tolist()
            case "logit":  # of class 1, as MT-TaG chooses for COPA
                return outputs[:, 1].tolist()
            case "expected":
                return (probabilities @ torch.arange(outputs.shape[1], dtype=outputs.dtype)).tolist()
            case "likeliest":
                return outputs.argmax(-1).float().tolist()
        return probabilities[:, 0].tolist()
