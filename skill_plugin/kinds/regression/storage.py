"""Scores as fairseq's sentence_prediction reads them: one number a line.

Axis: n rows of a split.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError, counted
from skill_plugin.kinds.regression.keys import RegressionKeys
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.readers.split_data import SplitData
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.row_storage import RowStorage
from skill_plugin.store.stored_split import StoredSplit


class RegressionStorage(RowStorage):
    """The fact ``score_range`` [lowest, highest] is that of the corpora file, or of train; of all without train."""

    def facts(self, corpus: Corpus, splits: Mapping[str, SplitData], labels: tuple[str, ...] | None) -> dict[str, Any]:
        if found := self.written_facts(corpus):
            return found
        read = [splits["train"]] if "train" in splits else list(splits.values())
        scores = array("d")
        for block in (block for split in read for block in split.examples.blocks()):
            scores.extend(float(answer) for answer in block.answers if answer is not None)  # type: ignore[arg-type]
        return {"score_range": [min(scores), max(scores)]} if scores else {}

    def written_facts(self, corpus: Corpus) -> dict[str, Any]:
        score_range = RegressionKeys.of(corpus).score_range
        return {} if score_range is None else {"score_range": list(score_range)}

    def write_answers(self, folder: Path, split: str, examples: ExampleRows) -> None:
        if any(None in block.answers for block in examples.blocks()):  # a test split may come without
            return
        folder.mkdir(exist_ok=True)
        with (folder / f"{split}.label").open("w", encoding="utf-8") as file:
            for block in examples.blocks():
                file.writelines(f"{score!r}\n" for score in block.answers)

    def read_answers(self, stored: StoredSplit, folder: Path, split: str) -> StoredSplit:
        scores = _read_scores(folder / f"{split}.label", len(stored))
        return replace(stored, scores=scores, answered=scores is not None)


def _read_scores(path: Path, rows: int) -> npt.NDArray[np.float64] | None:
    """fairseq's own form: one number a line [n]; None where there is no file."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", path) from None
    lines = lines[:-1] if lines[-1] == "" else lines
    if len(lines) != rows:
        raise InputError(f"has {counted(len(lines), 'score')}, the texts have {counted(rows, 'row')}", path)
    try:
        scores = np.array([float(line) for line in lines], np.float64)
    except ValueError as error:
        raise InputError(f"not a score: {error}", path) from None
    if not np.isfinite(scores).all():
        row = int((~np.isfinite(scores)).argmax())
        raise InputError(f"not a score: {lines[row]!r}", path, row + 1)
    return scores
