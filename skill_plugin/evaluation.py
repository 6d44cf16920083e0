"""Scores a trained model on the corpora of a data folder, with the metrics that training logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExamples, corpus_examples
from skill_plugin.errors import InputError
from skill_plugin.metrics.corpus_metrics import CorpusMetrics
from skill_plugin.nn.packed_batch import pack
from skill_plugin.report.results import CorpusResult, Results
from skill_plugin.sampling.passes import cut
from skill_plugin.store.corpus_store import available_splits, corpora_in


@dataclass(frozen=True)
class Evaluation:
    """Scores and what was not scored.

    Attributes:
        results: of the corpora that model and folder have in common.
        left_out: why each other corpus was not scored.
    """

    results: Results
    left_out: dict[str, str]


def evaluate(
    model: Model,
    data_bin: str,
    split: str,
    batch_size: int = 64,
    max_tokens: int = 8192,
    progress: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Scores every corpus that has the split.

    Args:
        model: the trained model.
        data_bin: a data folder.
        split: train, valid or test.
        batch_size, max_tokens: sequences and tokens of a forward pass.
        progress: told the corpus, the number of its batches, and how many of them are done.

    Raises:
        InputError: no such folder, nothing to score, or a file of the folder is at fault.
    """
    left_out = {name: "not a corpus of the model" for name in corpora_in(data_bin) if name not in model.corpora}
    results: dict[str, CorpusResult] = {}
    metrics = CorpusMetrics(model.bundle.metrics())
    state = metrics.empty()
    for index, metric in enumerate(metrics):
        name = metric.corpus
        if split not in available_splits(data_bin, name):
            left_out[name] = f"no {split} split"
            continue
        examples = corpus_examples(model.bundle, name, data_bin, split)
        if examples.split.label_ids is None:
            left_out[name] = f"its {split} split has no labels"
            continue
        order = np.argsort(examples.lengths, kind="stable").astype(np.int64)
        batches = cut(order, examples.lengths, batch_size, max_tokens)
        for done, rows in enumerate(batches, 1):
            metrics.count(state, index, examples.split.label_ids[rows], _answers(model, examples, rows))
            if progress is not None:
                progress(name, len(batches), done)
        part, corpus = metrics.part(state, index), model.bundle.corpus(name)
        results[name] = CorpusResult(
            corpus.language, corpus.kind, metric.metric, metric.value(part), metric.scored(part)
        )
    if not results:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise InputError(f"nothing to score ({reasons or 'the folder is empty'})", data_bin)
    return Evaluation(Results(split, results), left_out)


def _answers(model: Model, examples: CorpusExamples, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Predicted classes of some examples [U]."""
    sequences = [examples.sequence(int(row)) for row in rows]
    batch = pack([(examples.active, examples.head, sequences)], model.bundle.shape.token_types > 0)
    return np.asarray(model.forward(batch)[0].argmax(-1).cpu().numpy())
