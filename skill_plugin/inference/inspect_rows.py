"""Looks at every row of a split: which went most wrong."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import partial

from torch import Tensor

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExample, CorpusExamples
from skill_plugin.errors import InputError
from skill_plugin.inference.chosen_rows import choose_rows
from skill_plugin.inference.common_splits import find_common_splits
from skill_plugin.inference.evaluation import read_outputs
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.kinds.items import Items, join_targets
from skill_plugin.kinds.registry import kind_named
from skill_plugin.report.inspection import Inspection, Inspections, WrongRow


class RowInspector:
    """Keeps the rows of each corpus that went most wrong, of those that it is shown.

    Args:
        worst: how many of a corpus.
    """

    def __init__(self, worst: int) -> None:
        self._worst = worst
        self._seen: dict[str, int] = {}
        self._kept: dict[str, list[tuple[float, int, CorpusExample, Tensor]]] = {}
        self._examples: dict[str, CorpusExamples] = {}

    def look(self, examples: CorpusExamples, read: Sequence[CorpusExample], outputs: Tensor) -> None:
        """Takes some rows of a split, each once; those of a corpus without answers of people count for nothing.

        Args:
            examples: the examples of the split.
            read: the rows.
            outputs: the reduced outputs of all their units.
        """
        if _unfit(examples) is not None:
            return
        name = examples.name
        self._examples[name] = examples
        self._seen[name] = self._seen.get(name, 0) + len(read)
        kept = self._kept.setdefault(name, [])
        counts = [sum(len(sequence.units) for sequence in example.sequences) for example in read]
        for example, own in zip(read, outputs.split(counts), strict=True):
            heapq.heappush(kept, (_loss(examples.items, own, example), -example.row, example, own))
            if len(kept) > self._worst:
                heapq.heappop(kept)

    def found(self) -> Inspections:
        """What the rows that it was shown are, by corpus."""
        return {name: Inspection(rows, self._tell(name)) for name, rows in self._seen.items()}

    def _tell(self, name: str) -> list[WrongRow]:
        kept = sorted(self._kept[name], key=_order)
        return [_tell(self._examples[name], loss, example, outputs) for loss, _, example, outputs in kept]


def inspect_rows(
    model: Model,
    data_bin: str,
    split: str,
    worst: int,
    progress: ProgressCallback | None = None,
) -> Inspections:
    """Reads the split of every corpus that model and folder have in common and that has answers to be wrong about.

    Args:
        model: the trained model.
        data_bin: a data folder.
        split: train, valid or test.
        worst: how many of a corpus's rows are told.
        progress: told how far it is.

    Raises:
        InputError: no such folder, or a file of it is at fault.
    """
    splits, _ = find_common_splits(model, data_bin, split, _unfit)
    inspector = RowInspector(worst)
    for name, examples in splits.items():
        told = None if progress is None else partial(progress, name)
        for read, outputs in read_outputs(model, examples, choose_rows(examples), progress=told):
            inspector.look(examples, read, outputs)
    return inspector.found()


def _unfit(examples: CorpusExamples) -> str | None:
    if not kind_named(examples.items.corpus.kind).answers:
        return "has no answers of people"
    return examples.left_out


def _order(one: tuple[float, int, CorpusExample, Tensor]) -> tuple[float, int]:
    return -one[0], -one[1]


def _loss(items: Items, outputs: Tensor, example: CorpusExample) -> float:
    losses = items.family.losses(outputs, join_targets([example.target]))
    values = losses.values if losses.known is None else losses.values[losses.known]
    return float(values.mean()) if len(values) else 0.0


def _tell(examples: CorpusExamples, loss: float, example: CorpusExample, outputs: Tensor) -> WrongRow:
    text = example.text
    try:
        text = text or examples.split.example(example.row)
    except InputError:  # a folder of fairseq-preprocess has no texts
        text = None
    assert example.encoded is not None
    told = examples.items.tell(outputs, example.encoded, example.sequences, text)
    texts, place = ((), "") if text is None else (text.texts, f"{text.file}:{text.line}")
    return WrongRow(loss, told.answer, told.right, texts, told.wrong, place)
