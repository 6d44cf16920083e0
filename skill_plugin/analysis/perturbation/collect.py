"""Scores the corpora of a data folder as they were trained, and with whatever else they could activate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from skill_plugin.analysis.collected import Collected
from skill_plugin.analysis.perturbation.condition import Condition, MakeConditions
from skill_plugin.analysis.perturbation.measure import TRAINED, Perturbation
from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExamples
from skill_plugin.inference.common_splits import find_common_splits, nothing_to
from skill_plugin.inference.evaluation import score_split
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.report.results import CorpusResult


def collect_perturbation(
    model: Model,
    data_bin: str,
    make: MakeConditions,
    split: str = "valid",
    only: Sequence[str] | None = None,
    limit: int = 0,
    batch_size: int | None = None,
    progress: ProgressCallback | None = None,
) -> Collected[Perturbation]:
    """Scores every corpus that has the split as ``evaluate`` does, once for each set of parts that it activates.

    Args:
        model: the trained model.
        data_bin: a data folder.
        make: gives the conditions, from the model and the corpora that are asked for, in the order of the corpora file.
        split: train, valid or test.
        only: names of corpora; None for all of the model.
        limit: rows of a corpus, spread evenly over its split; 0 for all.
        batch_size: as for ``evaluate``.
        progress: told the corpus, the number of its batches in all conditions, and how many of them are done.

    Raises:
        InputError: nothing that could be activated, no such corpus or folder, nothing to score, or a file of the folder
            is at fault.
    """
    for name in only or ():
        model.labels(name)  # refuses an unknown corpus
    asked = [name for name in model.bundle.spec.corpora if name in (only or model.corpora)]
    conditions = make(model, asked)
    splits, left_out = find_common_splits(model, data_bin, split, lambda examples: examples.left_out, only)
    if not splits:
        raise nothing_to("score", left_out, data_bin)
    score = partial(_score_corpus, model, conditions, limit, batch_size, progress)
    results = {name: score(splits[name]) for name in asked if name in splits}
    groups = model.bundle.spec.groups
    return Collected(Perturbation(model.bundle.variant, split, conditions, results, groups), left_out)


def _score_corpus(
    model: Model,
    conditions: Sequence[Condition],
    limit: int,
    batch_size: int | None,
    progress: ProgressCallback | None,
    examples: CorpusExamples,
) -> dict[str, CorpusResult]:
    """The scores of a corpus by the names of the conditions that change it; conditions may come to the same."""
    name = examples.name
    asked = {TRAINED: model.active_set(name)}
    asked |= {one.name: one.active[name] for one in conditions if name in one.active}
    distinct: dict[ActiveSet, ActiveSet] = {}
    for active in asked.values():
        distinct.setdefault(_in_any_order(active), active)
    scored: dict[ActiveSet, CorpusResult] = {}
    for index, (key, active) in enumerate(distinct.items()):

        def told(batches: int, done: int, before: int = index) -> None:
            if progress is not None:
                progress(name, batches * len(distinct), batches * before + done)

        changed = model.activating({name: active})
        result = score_split(changed, examples, batch_size, progress=told, limit=limit)
        scored[key] = replace(result, activated=changed.active_names(name))
    return {title: scored[_in_any_order(active)] for title, active in asked.items()}


def _in_any_order(active: ActiveSet) -> ActiveSet:
    return replace(active, skills=tuple(sorted(active.skills)))
