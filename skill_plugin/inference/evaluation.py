"""Scores a trained model on the corpora of a data folder, with the metrics that training logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExample, CorpusExamples
from skill_plugin.data.request import Request
from skill_plugin.data.score_examples import score_examples
from skill_plugin.inference.chosen_rows import choose_rows
from skill_plugin.inference.common_splits import find_common_splits, nothing_to, refuse_missing
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.kinds.items import join_targets
from skill_plugin.metrics.calibration_error import CalibrationError
from skill_plugin.metrics.constant_rule import score_constant_rule
from skill_plugin.metrics.metric import MetricState
from skill_plugin.options.allowed_values import LARGEST
from skill_plugin.report.results import CorpusResult, Results
from skill_plugin.sampling.passes import cut_batches

Watch = Callable[[CorpusExamples, Sequence[CorpusExample], Tensor], None]


@dataclass(frozen=True)
class Evaluation:
    """Scores and what was not scored.

    Attributes:
        results: scores of the corpora that model and folder have in common.
        left_out: why each other corpus was not scored.
    """

    results: Results
    left_out: dict[str, str]


def evaluate(
    model: Model,
    data_bin: str,
    split: str,
    batch_size: int | None = None,
    max_tokens: int | None = None,
    progress: ProgressCallback | None = None,
    only: Sequence[str] | None = None,
    allow_missing: bool = False,
    verify: bool = True,
    watch: Watch | None = None,
) -> Evaluation:
    """Scores every corpus that has the split.

    Args:
        model: the trained model.
        data_bin: a data folder.
        split: train, valid or test.
        batch_size: the most sequences of a forward pass; None for any number.
        max_tokens: the most tokens of one; None for what suits the device.
        progress: told how far it is.
        only: names of corpora; None for all of the model.
        allow_missing: leave out corpora that the folder lacks.
        verify: compare the checksums of the folder's files.
        watch: shown the rows that are read, and the reduced outputs of all their units, batch by batch.

    Raises:
        InputError: no such folder, a corpus that it lacks, nothing to score, or a file of the folder is at fault.
    """
    if not allow_missing:
        refuse_missing(model, data_bin, only)
    splits, left_out = find_common_splits(model, data_bin, split, lambda examples: examples.left_out, only, verify)
    if not splits:
        raise nothing_to("score", left_out, data_bin)
    shares = {} if model.shares is None else model.shares.run()
    results: dict[str, CorpusResult] = {}
    for name, examples in splits.items():
        told = None if progress is None else partial(progress, name)
        result = score_split(model, examples, batch_size, max_tokens, told, watch=watch)
        results[name] = replace(result, training=asdict(shares[name]) if name in shares else {})
    used = None if model.shares is None else model.shares.data_used
    return Evaluation(Results(split, results, model.bundle.average_weights, model.bundle.spec.groups, used), left_out)


def score_split(
    model: Model,
    examples: CorpusExamples,
    batch_size: int | None = None,
    max_tokens: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    limit: int = 0,
    watch: Watch | None = None,
) -> CorpusResult:
    """Scores a split of one corpus.

    Args:
        model: the trained model.
        examples: the examples of the split, at least one.
        batch_size, max_tokens, watch: as for ``evaluate``.
        progress: told the number of batches, and how many of them are done.
        limit: rows, spread evenly over the split; 0 for all.

    Raises:
        InputError: the split lacks the texts that its scores need.
    """
    corpus = model.bundle.corpus(examples.name)
    scored = model.bundle.metric(examples.name, len(examples))
    metric = scored.metric
    state = np.zeros(scored.size, dtype=np.float64)
    own, sure = state[: metric.size], state[metric.size :]
    given: list[Any] = []
    right: list[Any] = []
    texts: list[Sequence[str]] = []
    unreadable: int | None = None
    for read, outputs in read_outputs(model, examples, choose_rows(examples, limit), batch_size, max_tokens, progress):
        if watch is not None:
            watch(examples, read, outputs)
        answers, references, numbers = score_examples(examples.items, outputs, read)
        metric.count(own, answers, references, numbers)
        given += answers
        right += references
        if metric.reads_texts:
            texts += [() if example.text is None else example.text.texts for example in read]
        if (lost := examples.items.unreadable(outputs)) is not None:
            unreadable = lost + (unreadable or 0)
        elif scored.calibration is not None:
            found = examples.items.family.confidences(outputs, join_targets([example.target for example in read]))
            scored.calibration.count(sure, *(one.numpy() for one in found))
    return CorpusResult(
        language=corpus.language,
        kind=corpus.kind,
        metric=corpus.metric,
        value=metric.value(own),
        n=metric.scored(own),
        constant=score_constant_rule(metric, right, texts),
        averaged=scored.in_average,
        details=metric.details(own),
        confusion=metric.confusion(given, right),
        calibration=_calibration(scored.calibration, sure),
        activated=model.active_names(examples.name) if examples.name in model.replaced else {},
        unreadable=unreadable,
    )


def _calibration(error: CalibrationError | None, state: MetricState) -> dict[str, Any]:
    """What results say of it."""
    if error is None or (value := error.value(state)) is None:
        return {}
    return {"ece": value, "bins": [asdict(one) for one in error.bins(state)]}


def read_outputs(
    model: Model,
    examples: CorpusExamples,
    rows: NDArray[np.int64],
    batch_size: int | None = None,
    max_tokens: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[Sequence[CorpusExample], Tensor]]:
    """Some rows of a corpus, batch by batch, with the reduced outputs of all their units.

    Args:
        model: the trained model.
        examples: the examples of the split.
        rows: which of them.
        batch_size, max_tokens, progress: as for ``score_split``.
    """
    most = max_tokens or model.max_tokens
    batches = cut_batches(rows, examples.lengths, batch_size or LARGEST, most, examples.sequence_counts)
    requests = (request_rows(examples, batch) for batch in batches)
    for done, found in enumerate(model.outputs(examples.name, requests, batch_size, most), 1):
        yield found
        if progress is not None:
            progress(len(batches), done)


def request_rows(examples: CorpusExamples, rows: NDArray[np.int64]) -> Request[list[CorpusExample]]:
    """Asks for rows of a split, to be scored [n]."""
    read = [examples.example(int(row)) for row in rows]
    target = join_targets([example.target for example in read])
    by_unit = {name: target[name] for name in examples.items.unit_targets}
    return Request(read, [sequence for example in read for sequence in example.sequences], by_unit)
