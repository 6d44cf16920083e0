"""Which answers of an export are those of the trained model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import Tensor

from skill_plugin.api import Model
from skill_plugin.export.parity import compare, raw_output
from skill_plugin.inference.calibration import with_calibrations
from skill_plugin.kinds.calibration import Calibration
from skill_plugin.readers.example import Example
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import examples, make_world

MULTILABEL = "topics"


@dataclass
class Otherwise:
    """Gives what the model gives, but for one label."""

    model: Model
    shift: Tensor
    corpus: str = MULTILABEL

    def logits(self, example: Example) -> Tensor:
        return raw_output(self.model, self.corpus, example).answers[0].float() + self.shift

    def reads(self, example: Example) -> bool:
        return True

    def cut_out(self, example: Example) -> tuple[int, int] | None:
        return None

    def rounded_by(self) -> float:
        return 0.0


def test_of_labels_that_are_given_by_themselves_all_must_be_the_same(encoder: TextEncoder, tmp_path: Path) -> None:
    rows = examples(MULTILABEL, 4)
    model = make_world(tmp_path, encoder, {MULTILABEL: rows}, max_length=24).model()
    logits = torch.cat([raw_output(model, MULTILABEL, row).answers[0].float() for row in rows])
    # the least label of each text, which is never the likeliest, is moved to the other side of one half
    number = int((logits != logits.max(dim=-1, keepdim=True).values).all(0).nonzero()[0, 0])
    shift = torch.zeros(logits.shape[1])
    shift[number] = -2 * float(logits[0, number])
    found = compare(model, MULTILABEL, Otherwise(model, shift), rows, "rows", "int8")
    changed = (logits[:, number] > 0) != (logits[:, number] + shift[number] > 0)
    assert changed[0] and found.equal == pytest.approx(1 - float(changed.float().mean()))
    # with a threshold far from both, the answers are the same
    thresholds = tuple(1 - 1e-9 if label == number else 0.5 for label in range(logits.shape[1]))
    calibrated = with_calibrations(model, {MULTILABEL: Calibration(thresholds=thresholds)})
    assert compare(calibrated, MULTILABEL, Otherwise(model, shift), rows, "rows", "int8").equal == 1


def test_of_a_ranking_the_first_candidate_must_be_the_same(encoder: TextEncoder, tmp_path: Path) -> None:
    """Though what is said of each candidate alone stays as it is."""
    rows = [row for row in examples("search", 30) if len(row.candidates) == 2]
    model = make_world(tmp_path, encoder, {"search": rows}, max_length=24).model()
    scores = torch.stack([raw_output(model, "search", row).answers[0].float()[:, 0] for row in rows])
    shift = torch.tensor([[0.0], [0.1]])
    moved = float(((scores.argmax(-1)) != (scores + shift[:, 0]).argmax(-1)).float().mean())
    assert moved > 0
    assert compare(model, "search", Otherwise(model, shift, "search"), rows, "rows", "int8").equal == 1 - moved
