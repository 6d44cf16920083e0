"""What holds for every family of answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin.objectives import entropy
from skill_plugin.objectives.categorical import Categorical
from skill_plugin.objectives.family import Family, UnitLosses, segments_with_loss
from skill_plugin.objectives.independent_labels import IndependentLabels
from skill_plugin.objectives.listwise import Listwise
from skill_plugin.objectives.pointwise import Pointwise
from skill_plugin.objectives.score import Score
from skill_plugin.objectives.start_and_end import StartAndEnd
from tests.objectives.direct import SCALES, SIZES, outputs, runs, whole

Target = Callable[[list[int]], dict[str, Tensor]]  # of examples with so many units


def classes(units: list[int]) -> dict[str, Tensor]:
    return {"classes": whole(sum(units), 3, 0)}


def queries(units: list[int]) -> dict[str, Tensor]:
    return {"relevance": whole(sum(units), 3, 0), "sizes": torch.tensor(units)}


def places(units: list[int]) -> dict[str, Tensor]:
    sizes = torch.tensor(units)
    return {"sizes": sizes, "starts": sizes - 1, "ends": sizes // 2}


# family, numbers for each unit, targets
CASES: list[tuple[Family, int, Target]] = [
    (Categorical(), 3, classes),
    (Categorical(many_units=True), 3, classes),
    (Categorical(many_units=True, has_unknown=True), 3, classes),
    (IndependentLabels(), 4, lambda units: {"labels": whole(sum(units) * 4, 2, 0).view(-1, 4)}),
    (Score(), 1, lambda units: {"scores": torch.linspace(-1, 700, sum(units))}),
    (Score(0.0, 5.0), 1, lambda units: {"scores": torch.linspace(0, 5, sum(units))}),
    (Pointwise(), 2, queries),
    (Pointwise(graded=True), 3, queries),
    (Listwise(), 1, queries),
    (StartAndEnd(), 2, places),
]
FAMILIES = pytest.mark.parametrize(("family", "columns", "target"), CASES, ids=[str(case[0]) for case in CASES])
ONE_UNIT = (IndependentLabels, Score)


def units_of(family: Family, sizes: list[int]) -> list[int]:
    """Units of each example: one, in families where an example is a unit."""
    return [1] * len(sizes) if isinstance(family, ONE_UNIT) or family == Categorical() else sizes


@FAMILIES
@given(SIZES, SCALES)
def test_equal_outputs_do_not_diverge(
    family: Family, columns: int, target: Target, sizes: list[int], scale: float
) -> None:
    units = units_of(family, sizes)
    logits = outputs(sum(units), columns, len(units), scale)
    assert not family.divergences(logits, logits.detach().clone(), target(units)).any()


@FAMILIES
@given(SIZES, SCALES)
def test_losses_and_divergences_are_of_the_same_units(
    family: Family, columns: int, target: Target, sizes: list[int], scale: float
) -> None:
    units = units_of(family, sizes)
    logits, others = (outputs(sum(units), columns, seed, scale) for seed in (0, 1))
    losses = family.losses(logits, target(units))
    divergences = family.divergences(logits, others, target(units))
    assert losses.values.shape == divergences.shape
    assert (losses.values >= 0).all() and (divergences >= 0).all()


@FAMILIES
@given(SIZES, SCALES)
def test_an_entropy_lies_between_0_and_its_greatest(
    family: Family, columns: int, target: Target, sizes: list[int], scale: float
) -> None:
    units = units_of(family, sizes)
    values, greatest = family.entropies(outputs(sum(units), columns, len(units), scale), units)
    assert len(values) == len(greatest) == len(units)
    assert (values >= 0).all() and (values <= greatest + 1e-5).all()


@FAMILIES
def test_a_uniform_distribution_has_the_greatest(family: Family, columns: int, target: Target) -> None:
    units = units_of(family, [3, 1, 5])
    middle = (family.lowest + family.highest) / 2 if isinstance(family, Score) else 0.0
    values, greatest = family.entropies(torch.full((sum(units), columns), middle), units)
    torch.testing.assert_close(values, greatest)


@FAMILIES
@given(SIZES, SCALES)
def test_probabilities_lie_between_0_and_1_and_each_example_is_by_itself(
    family: Family, columns: int, target: Target, sizes: list[int], scale: float
) -> None:
    units = units_of(family, sizes)
    logits = outputs(sum(units), columns, len(units), scale)
    found = family.probabilities(logits, units)
    assert found.shape == logits.shape
    assert (found >= 0).all() and (found <= 1).all()
    alone = [family.probabilities(logits[run]) for run in runs(units)]
    torch.testing.assert_close(found, torch.cat(alone))


@FAMILIES
@pytest.mark.parametrize("number", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(
    family: Family, columns: int, target: Target, number: torch.dtype
) -> None:
    units = units_of(family, [3, 1])
    half = outputs(sum(units), columns, 1, 30.0).detach().to(number).requires_grad_()
    other = outputs(sum(units), columns, 2, 30.0).detach().to(number)
    exact = half.detach().float().requires_grad_()
    losses, expected = (family.losses(x, target(units)).values for x in (half, exact))
    assert losses.dtype == torch.float32
    assert torch.equal(losses, expected)
    losses.sum().backward()
    assert half.grad is not None
    assert half.grad.dtype == number
    assert half.grad.isfinite().all()
    pairs = [
        (family.divergences(half, other, target(units)), family.divergences(exact, other.float(), target(units))),
        (family.probabilities(half, units), family.probabilities(exact, units)),
        *zip(family.entropies(half, units), family.entropies(exact, units), strict=True),
    ]
    for found, right in pairs:
        assert found.dtype == torch.float32
        assert torch.equal(found, right)


@FAMILIES
def test_a_few_rows_at_a_time(family: Family, columns: int, target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    units = units_of(family, [3, 1, 4])
    logits = outputs(sum(units), columns, 0)
    values = family.entropies(logits, units).values
    monkeypatch.setattr(entropy, "_ELEMENTS", 2 * columns)
    assert torch.equal(family.entropies(logits, units).values, values)


@FAMILIES
def test_only_words_and_masked_tokens_have_losses_of_their_own(family: Family, columns: int, target: Target) -> None:
    units = [3, 1, 5]
    count = len(family.losses(outputs(9, columns, 0), target(units)).values)
    assert (count == 9) == (family.many_units or isinstance(family, ONE_UNIT) or family == Categorical())


@pytest.mark.parametrize("unknown", [False, True])
@given(segments=st.lists(st.lists(st.booleans(), max_size=3), min_size=1, max_size=4))
def test_a_segment_counts_where_one_of_its_units_does(segments: list[list[bool]], unknown: bool) -> None:
    """``unknown``: some units may have no loss; else all of them have one."""
    losses = [
        UnitLosses(torch.rand(len(s)), 3, torch.tensor(s, dtype=torch.bool) if unknown else None) for s in segments
    ]
    found = segments_with_loss(losses)
    assert found.dtype == torch.float64
    assert found.tolist() == [any(units) if unknown else bool(units) for units in segments]
