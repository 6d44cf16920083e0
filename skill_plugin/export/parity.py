"""Compares an exported model with the trained one, from raw text on.

Axes: U units of an example, C outputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.errors import counted
from skill_plugin.export.exported import Exported
from skill_plugin.export.task_of import task_of
from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.multitask_model import MultitaskOutput
from skill_plugin.nn.packed_batch import pack
from skill_plugin.readers.example import Example

# of logits, over the largest of them, or rounded of what they are made of, if above 1; of 8 bits only answers are
# compared, and scores, which are no classes
DIFFERENCES = {"float32": 1e-4, "float16": 2e-2, "bfloat16": 2e-2, "int8": float("inf")}
SCORES = 0.05  # the largest difference of scores in 8 bits
UNEQUAL = 0.01  # share of answers that may differ where numbers are rounded


@dataclass(frozen=True)
class Parity:
    """What was found.

    Attributes:
        examples: how many were compared.
        difference: the largest of all logits.
        equal: share of equal answers: units whose likeliest output, or the sign of whose only one, is the same, or all
            labels that are given by their thresholds; pieces of texts; or what the kind says that outputs decide.
        split: that the examples are from; None: built-in texts.
        allowed: the largest difference that is.
        unequal: the largest share of unequal answers that is allowed.
        longer: examples that were left out, since the export cuts long texts elsewhere.
        tie: how much greater the logit of the last expert that a token chose was than that of the best other one, at
            least: where that is no more than a rounding, another is chosen. None where there are no experts.
    """

    examples: int
    difference: float
    equal: float
    split: str | None
    allowed: float
    unequal: float = 0.0
    longer: int = 0
    tie: float | None = None

    @property
    def good(self) -> bool:
        """Whether what was compared differs by no more than is allowed."""
        return self.difference <= self.allowed and 1 - self.equal <= self.unequal

    def to_line(self) -> str:
        """For people."""
        left_out = f" ({counted(self.longer, 'longer one')}, which it cuts elsewhere, left out)" if self.longer else ""
        tie = "" if self.tie is None else f"; no choice of experts was nearer to a tie than {self.tie:.1e}"
        allowed = f" (allowed {self.allowed:.0e})" if math.isfinite(self.allowed) else ""
        one, several = (f"{word} of {self.split}" for word in ("row", "rows")) if self.split else ("built-in text", "")
        compared = f"parity on {counted(self.examples, one, several)}{left_out}"
        if not self.examples:
            return f"{compared}: nothing was compared; --data compares texts of yours"
        fewest = f" (expected {1 - self.unequal:.0%})" if 1 - self.equal > self.unequal else ""
        answers = f"{self.equal:.2%} of the answers are equal{fewest}{tie}"
        return f"{compared}: logits differ by {self.difference:.1e} at most{allowed}, {answers}"


def raw_output(model: Model, corpus: str, example: Example) -> MultitaskOutput:
    """What a model says of an example before anything is made of it: logits [U, C], and which experts it chose."""
    items, bundle = model.items(corpus), model.bundle
    (row,) = items.encode([example])
    sequences = items.sequences(row)
    batch = pack([(bundle.active_set(corpus), bundle.corpus(corpus).head, sequences)], bundle.reads_token_types)
    with torch.no_grad():
        found: MultitaskOutput = model.model(batch.to(model.device))
    return found


def compare(
    model: Model, corpus: str, exported: Exported, examples: Sequence[Example], split: str | None, dtype: str
) -> Parity:
    """Compares all logits.

    Args:
        model: the trained model, as a whole.
        corpus: whose slice was exported.
        exported: the slice.
        examples: some of the corpus.
        split: see ``Parity``.
        dtype: type of the exported weights, one of ``DIFFERENCES``.
    """
    task = task_of(corpus_reading(model.bundle, corpus))
    # of outputs as they are here, which are not calibrated
    cuts = torch.tensor(task.thresholds, dtype=torch.float64).logit() / task.unit if task.thresholds else None
    difference, equal, units, ties = 0.0, 0, 0, []
    allowed = DIFFERENCES[dtype]
    compared = [example for example in examples if exported.reads(example)]
    for example in compared:
        said, theirs = raw_output(model, corpus, example), exported.logits(example)
        ours = cast(Tensor, said.answers[0]).float().cpu()
        ties += [_tie(routing) for routing in said.routings]
        if ours.shape != theirs.shape:
            return Parity(len(compared), float("inf"), 0.0, split, allowed)
        if not ours.numel():
            continue
        size = max(1.0, float(ours.abs().max()), 0.0 if dtype == "float32" else exported.rounded_by())
        difference = max(difference, float((ours - theirs).abs().max()) / size)
        allowed = min(allowed, SCORES) if ours.shape[1] == 1 and dtype == "int8" else allowed
        cut_out = exported.cut_out(example)
        if task.agreement is not None:
            same, decisions = task.agreement(ours, theirs)
            equal += same
            units += decisions
        elif cut_out is None:
            equal += int((_answers(ours, cuts) == _answers(theirs, cuts)).all(-1).sum())
            units += len(ours)
        else:
            (answer,) = model.predict_examples(corpus, [example])
            equal += cut_out == (answer.start, answer.end)  # type: ignore[attr-defined]
            units += 1
    return Parity(
        len(compared), difference, equal / units if units else 1.0, split, allowed,
        0.0 if dtype == "float32" else UNEQUAL, len(examples) - len(compared), min(ties, default=None),
    )  # fmt: skip


def _tie(routing: Routing) -> float:
    """The least distance of a chosen expert's logit from that of one that was not chosen; infinite where all are."""
    chosen = routing.experts.shape[1]
    if chosen == routing.logits.shape[1]:
        return float("inf")
    best = routing.logits.topk(chosen + 1).values
    return float((best[:, -2] - best[:, -1]).min())


def _answers(logits: Tensor, cuts: Tensor | None) -> Tensor:
    """What each unit answers [U, A]."""
    if cuts is not None:
        return logits > cuts
    return logits.argmax(-1, keepdim=True) if logits.shape[1] > 1 else logits > 0
