"""Calibrates a trained model on a split that it was not trained on: temperatures and thresholds.

Axes: U units of all rows, C labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExample, CorpusExamples
from skill_plugin.inference.chosen_rows import choose_rows
from skill_plugin.inference.common_splits import find_common_splits, nothing_to
from skill_plugin.inference.evaluation import read_outputs, score_split
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.kinds.calibration import Calibration
from skill_plugin.kinds.items import join_targets
from skill_plugin.kinds.registry import kind_named
from skill_plugin.objectives.temperature import fit_temperature, reached_bound
from skill_plugin.report.results import CorpusResult


@dataclass(frozen=True)
class CalibratedCorpus:
    """What was found for one corpus.

    Attributes:
        calibration: its temperature and thresholds.
        before, after: what the split scores without and with it.
    """

    calibration: Calibration
    before: CorpusResult
    after: CorpusResult

    @property
    def notice(self) -> str | None:
        """What is odd about it, in a line."""
        bound = reached_bound(self.calibration.temperature)
        if bound is None:
            return None
        what = "as if its answers were no better than chance" if bound == "greatest" else "as if it were never wrong"
        return f"its temperature is the {bound} that is tried, {self.calibration.temperature:.3g}: {what}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            **asdict(self.calibration),
            **({} if self.notice is None else {"notice": self.notice}),
            **{name: one.to_json() for name, one in (("before", self.before), ("after", self.after))},
        }


def calibrate(
    model: Model,
    data_bin: str,
    split: str = "valid",
    only: Sequence[str] | None = None,
    temperature: bool = True,
    thresholds: bool = True,
    progress: ProgressCallback | None = None,
    verify: bool = True,
) -> tuple[dict[str, CalibratedCorpus], dict[str, str]]:
    """Finds how the outputs for each corpus should become answers.

    Args:
        model: the trained model; what it knows of calibrations counts for nothing.
        data_bin: a data folder.
        split: of it, one that was not trained on.
        only: names of corpora; None for all of the model.
        temperature: look for temperatures, of kinds with labels.
        thresholds: look for thresholds, of ``multilabel``, and of ``span`` with questions without an answer.
        progress: told how far it is.
        verify: compare the checksums of the folder's files.

    Returns:
        what was found by corpus, and why other corpora were left out.

    Raises:
        InputError: no such folder, nothing to calibrate, or a file of the folder is at fault.
    """
    plain = with_calibrations(model, {})
    splits, left_out = find_common_splits(plain, data_bin, split, lambda examples: examples.left_out, only, verify)
    found: dict[str, CalibratedCorpus] = {}
    for name, examples in splits.items():
        told = None if progress is None else partial(progress, name)
        calibration = _calibrate_corpus(plain, examples, temperature, thresholds, told)
        if calibration is None:
            left_out[name] = "has nothing to calibrate"
            continue
        scored = [
            score_split(one, _read_by(one, examples)) for one in (plain, with_calibrations(model, {name: calibration}))
        ]
        found[name] = CalibratedCorpus(calibration, *scored)
    if not found:
        raise nothing_to("calibrate", left_out, data_bin)
    return found, left_out


def with_calibrations(model: Model, calibrations: Mapping[str, Calibration]) -> Model:
    """The same model, whose outputs become answers in another way."""
    bundle = replace(model.bundle, calibrations=dict(calibrations))
    return Model(bundle, model.model, model.device, model.shares, model.replaced)


def _read_by(model: Model, examples: CorpusExamples) -> CorpusExamples:
    return replace(examples, items=model.items(examples.name))


def _calibrate_corpus(
    model: Model,
    examples: CorpusExamples,
    temperature: bool,
    thresholds: bool,
    progress: Callable[[int, int], None] | None,
) -> Calibration | None:
    """What the rows of a split say; None for a corpus that has neither a temperature nor thresholds."""
    kind, items = kind_named(examples.items.corpus.kind), examples.items
    search = (
        kind.threshold_search(items, model.bundle.metric(examples.name, len(examples)).metric) if thresholds else None
    )
    fitted = temperature and kind.calibrated
    if search is None and not fitted:
        return None
    read: list[CorpusExample] = []
    parts: list[Tensor] = []
    for some, outputs in read_outputs(model, examples, choose_rows(examples), progress=progress):
        read += some
        parts += outputs.split([sum(len(one.units) for one in example.sequences) for example in some])
    degree = 1.0
    if fitted:
        degree = fit_temperature(items.family, torch.cat(parts), join_targets([example.target for example in read]))
    if search is None:
        return Calibration(degree)
    for example, part in zip(read, parts, strict=True):
        assert example.encoded is not None
        search.add(part / degree, example.encoded, example.sequences, example.text)
    return Calibration(degree, search.best())
