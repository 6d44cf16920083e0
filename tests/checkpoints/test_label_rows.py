"""A head that is given labels keeps, for those it had, what it had learned of them."""

from __future__ import annotations

import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.initial_weights import InitialWeights
from skill_plugin.checkpoints.initialise_from import initialise_from
from skill_plugin.checkpoints.label_rows import find_label_rows
from tests.checkpoints.test_reuse import TRAINED, bundle, section


@pytest.mark.parametrize(
    ("labels", "rows", "line"),
    [
        (("yes", "no", "maybe", "never"), [0, 1, 2, None], "keeps the rows of yes, no, maybe; fresh rows: never"),
        (("maybe", "never", "yes", "no"), [2, None, 0, 1], "keeps the rows of maybe, yes, no; fresh rows: never"),
        (("maybe", "no", "yes"), [2, 1, 0], "keeps the rows of maybe, no, yes"),
        (("no", "yes"), [1, 0], "keeps the rows of no, yes; left in the file: maybe"),
        (("a", "b", "c"), [None] * 3, "fresh rows: a, b, c; left in the file: yes, no, maybe"),
    ],
)
def test_rows_go_by_their_labels(labels: tuple[str, ...], rows: list[int | None], line: str) -> None:
    new = bundle(section("mnli", labels), section("rte", ("yes", "no")))
    torch.manual_seed(0)
    state = {name: torch.randn_like(tensor) for name, tensor in build_model(TRAINED).state_dict().items()}
    model = build_model(new)
    drawn = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    initial = InitialWeights("trained.pt", TRAINED.shape, None, state, TRAINED)
    origin = initialise_from(model, initial, None, find_label_rows(new, TRAINED))
    found = model.state_dict()
    for part in ("weight", "bias"):
        name = f"heads.mnli.out_proj.{part}"
        expected = [(drawn if row is None else state)[name][i if row is None else row] for i, row in enumerate(rows)]
        assert torch.equal(found[name], torch.stack(expected))
    assert torch.equal(found["heads.mnli.dense.weight"], state["heads.mnli.dense.weight"])
    assert torch.equal(found["heads.rte.out_proj.weight"], state["heads.rte.out_proj.weight"])
    assert [one for one in origin.lines if one.startswith("heads:")] == [f"heads: mnli {line}"]
    assert ("heads.mnli" in str(origin.groups["heads"].get("fresh"))) == (rows == [None] * 3)


def test_the_answers_among_old_labels_stay_the_same() -> None:
    new = bundle(section("rte", ("unsure", "no", "yes")))
    old, grown = build_model(TRAINED), build_model(new)
    initial = InitialWeights("trained.pt", TRAINED.shape, None, old.state_dict(), TRAINED)
    initialise_from(grown, initial, None, find_label_rows(new, TRAINED))
    states = torch.randn(5, 16)
    before, after = old.eval().heads["rte"](states), grown.eval().heads["rte"](states)
    torch.testing.assert_close(after[:, [2, 1]], before)


def test_equal_labels_and_kinds_without_rows_are_none() -> None:
    assert find_label_rows(TRAINED, TRAINED) == {}
    scores = section("rte", ()).replace("classification", "regression").replace("    labels: []\n", "")
    assert find_label_rows(bundle(scores.replace("label: l", "score: l")), TRAINED) == {}
