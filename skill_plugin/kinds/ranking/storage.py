"""A query's candidates as members, and the relevance of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from skill_plugin.errors import counted
from skill_plugin.kinds.ranking.keys import RankingKeys
from skill_plugin.readers.example import Example
from skill_plugin.readers.split_data import SplitData
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.row_storage import RowFault, RowStorage
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.tokenizer import Encoding


class RankingStorage(RowStorage):
    """Arrays: ``relevance`` of each member, empty where it is unknown.

    The fact ``grades`` of a ranking by grades: how many relevances there are, from 0 to the highest of any split.
    """

    arrays = ("relevance",)
    has_members = True
    fewest_members = 1

    def row(self, example: Example, texts: Sequence[Encoding], candidates: Sequence[Encoding]) -> EncodedRow:
        relevance = np.array(example.answer or (), np.int32)
        ids, members = (tuple(one.ids for one in encoded) for encoded in (texts, candidates))
        return EncodedRow(ids, members, {"relevance": relevance})

    def facts(self, corpus: Corpus, splits: Mapping[str, SplitData], labels: tuple[str, ...] | None) -> dict[str, Any]:
        own = RankingKeys.of(corpus)
        if own.loss != "graded":
            return {}
        answers = (cast("tuple[int, ...]", e.answer) for split in splits.values() for e in split.examples if e.answer)
        return {"grades": own.grades or max(2, 1 + max(map(max, answers), default=0))}

    def written_facts(self, corpus: Corpus) -> dict[str, Any]:
        grades = RankingKeys.of(corpus).grades
        return {} if grades is None else {"grades": grades}

    def read_answers(self, stored: StoredSplit, folder: Path, split: str) -> StoredSplit:
        sizes = stored.arrays["relevance"].sizes
        return replace(stored, answered=not len(sizes) or bool(sizes.all()))

    def row_fault(self, row: EncodedRow) -> RowFault | None:
        relevance = row.arrays["relevance"]
        if len(relevance) in (0, len(row.members)):
            return None
        message = f"holds {counted(len(relevance), 'number')} for {counted(len(row.members), 'candidate')}"
        return RowFault("relevance", "members", message)
