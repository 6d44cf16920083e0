"""Looks at every row of a split: which went most wrong, and how certain the answers were."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExample, CorpusExamples
from skill_plugin.errors import InputError
from skill_plugin.inference.chosen_rows import choose_rows
from skill_plugin.inference.common_splits import find_common_splits
from skill_plugin.inference.evaluation import request_rows
from skill_plugin.kinds.items import Items, join_targets
from skill_plugin.kinds.registry import kind_named
from skill_plugin.objectives.categorical import IGNORED, Categorical
from skill_plugin.options.allowed_values import LARGEST
from skill_plugin.report.inspection import Inspection, Inspections, Reliability, WrongRow
from skill_plugin.sampling.passes import cut_batches


def inspect_rows(
    model: Model,
    data_bin: str,
    split: str,
    worst: int,
    progress: Callable[[str, int, int], None] | None = None,
    verify: bool = True,
) -> Inspections:
    """Reads the split of every corpus that model and folder have in common and that has answers to be wrong about.

    Args:
        model: the trained model.
        data_bin: a data folder.
        split: train, valid or test.
        worst: how many of a corpus's rows are told.
        progress: told the corpus, the number of its batches, and how many of them are done.
        verify: compare the checksums of the folder's files.

    Raises:
        InputError: no such folder, or a file of it is at fault.
    """
    splits, _ = find_common_splits(model, data_bin, split, _unfit, verify=verify)
    return {
        name: _inspect(model, examples, worst, None if progress is None else partial(progress, name))
        for name, examples in splits.items()
    }


def _unfit(examples: CorpusExamples) -> str | None:
    if not kind_named(examples.items.corpus.kind).answers:
        return "has no answers of people"
    return examples.left_out


def _inspect(
    model: Model, examples: CorpusExamples, worst: int, progress: Callable[[int, int], None] | None
) -> Inspection:
    kept: list[tuple[float, int, CorpusExample, Tensor]] = []
    certain: list[Tensor] = []
    right: list[Tensor] = []
    for example, outputs in _outputs(model, examples, progress):
        target = join_targets([example.target])
        loss = _loss(examples.items, outputs, target)
        heapq.heappush(kept, (loss, -example.row, example, outputs))
        if len(kept) > worst:
            heapq.heappop(kept)
        if isinstance(examples.items.family, Categorical):
            known = target["classes"] != IGNORED
            shares, answers = examples.items.family.probabilities(outputs).max(-1)
            certain.append(shares[known])
            right.append((answers == target["classes"])[known])
    reliability = None
    if certain:
        reliability = Reliability.of(torch.cat(certain).double().numpy(), torch.cat(right).numpy())
    told = [_tell(examples, loss, example, outputs) for loss, _, example, outputs in sorted(kept, key=_order)]
    return Inspection(len(examples), told, reliability)


def _order(one: tuple[float, int, CorpusExample, Tensor]) -> tuple[float, int]:
    return -one[0], -one[1]


def _outputs(
    model: Model, examples: CorpusExamples, progress: Callable[[int, int], None] | None
) -> Iterator[tuple[CorpusExample, Tensor]]:
    """Each row with the outputs of its units."""
    batches = cut_batches(choose_rows(examples), examples.lengths, LARGEST, model.max_tokens, examples.sequence_counts)
    requests = (request_rows(examples, batch) for batch in batches)
    for done, (read, outputs) in enumerate(model.outputs(examples.name, requests), 1):
        counts = [sum(len(sequence.units) for sequence in example.sequences) for example in read]
        yield from zip(read, outputs.split(counts), strict=True)
        if progress is not None:
            progress(len(batches), done)


def _loss(items: Items, outputs: Tensor, target: dict[str, Tensor]) -> float:
    losses = items.family.losses(outputs, target)
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
